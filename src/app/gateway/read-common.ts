/** The keys that every platform has: who may speak, what a busy chat does, where notices go, when a chat starts afresh. */

import { z } from "zod";
import type { Config } from "#config/schema.js";
import { BUSY_MODES, type PartialReset, RESET_MODES } from "#config/schema-gateway.js";
import type { Account } from "#gateway/gateway.js";
import type { ResetPolicy } from "#session/reset-policy.js";
import { COMMON_KEYS, type Json } from "./own-settings.js";
import { type About, type Problem, problem } from "./problem.js";

export type CommonSettings = Omit<Account, "kind" | "name" | "settings">;

export interface CommonWish {
  readonly about: About;
  readonly place: string;
  readonly gateway: Pick<Config["gateway"], "busy" | "reset">;
}

export type ReadCommon =
  | { readonly kind: "read"; readonly settings: CommonSettings; readonly problems: readonly Problem[] }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };

export function withoutCommon(settings: Json): Json {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !COMMON_KEYS.some((key) => key === name)));
}

export function readCommon(wish: CommonWish, settings: Json): ReadCommon {
  const { about, place, gateway } = wish;
  const common = Object.fromEntries(COMMON_KEYS.flatMap((key) => (key in settings ? [[key, settings[key]]] : [])));
  const judged = commonSchema.safeParse(common);
  if (!judged.success) {
    const problems = judged.error.issues.map((issue) => {
      const key = [place, ...issue.path.filter((step) => typeof step === "string")].join(".");
      return problem(about, key, issue.message);
    });
    return { kind: "refused", problems };
  }
  const { allow, owners, pairing, busy, mention, stream, home, reset, chats } = judged.data;
  if (owners.includes("*")) {
    const words = "expected ids of people: * would make everybody the owner";
    return { kind: "refused", problems: [problem(about, `${place}.owners`, words)] };
  }
  return {
    kind: "read",
    problems: [],
    settings: {
      // Whoever owns the home may speak there.
      allow: [...new Set([...allow, ...owners])],
      owners,
      pairing,
      busy: busy ?? gateway.busy,
      needsMention: mention,
      streams: stream,
      ...(home === undefined ? {} : { homeChat: home }),
      chats: Object.fromEntries(Object.entries(chats).map(([id, chat]) => [id, chatSettings(chat)])),
      resetPolicy: (chatType) => resetPolicy(gateway.reset, about.platform, chatType, reset),
    },
  };
}

const LIST_MAX = 10_000;

const expected = (words: string) => ({ error: `expected ${words}` });

/** Ids are text; a number is one too, unless it is so long that YAML has rounded it already. */
const id = z.union(
  [
    z.string().trim().min(1).max(512),
    z
      .number()
      .refine(Number.isSafeInteger)
      .transform((value) => String(value)),
  ],
  expected("an id; write long numbers in quotes"),
);

/** A list, or one text with commas, as variables have them. */
const ids = z
  .preprocess(
    (value) =>
      typeof value === "string"
        ? value
            .split(",")
            .map((one) => one.trim())
            .filter((one) => one !== "")
        : typeof value === "number"
          ? [value]
          : value,
    z.array(id, expected("a list of ids")).max(LIST_MAX, expected(`at most ${LIST_MAX} ids`)),
  )
  .default([]);

/** A variable has words, never a boolean. */
const yesOrNo = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean(expected("true or false")),
);

const busyMode = z.enum(BUSY_MODES, expected("queue, interrupt or steer"));

const policy = {
  mode: z.enum(RESET_MODES, expected("none, idle, daily or both")).optional(),
  at_hour: z.int(expected("an hour from 0 to 23")).min(0).max(23).optional(),
  idle_minutes: z.int(expected("minutes")).min(1).max(5_256_000).optional(),
};

const commonSchema = z.object({
  allow: ids,
  owners: ids,
  pairing: yesOrNo.default(true),
  busy: busyMode.optional(),
  mention: yesOrNo.default(true),
  stream: yesOrNo.default(true),
  home: id.optional(),
  reset: z
    .strictObject(
      { ...policy, by_type: z.record(z.string(), z.strictObject(policy), expected("a map of chat types")).optional() },
      expected("a group with mode, and perhaps at_hour, idle_minutes and by_type"),
    )
    .optional(),
  chats: z
    .record(
      z.string(),
      z.strictObject(
        { busy: busyMode.optional(), mention: yesOrNo.optional() },
        expected("a group with busy, mention"),
      ),
      expected("a map of chat ids"),
    )
    .default({}),
});

type CommonInput = z.output<typeof commonSchema>;

function chatSettings({ busy, mention }: CommonInput["chats"][string]): CommonSettings["chats"][string] {
  return { ...(busy === undefined ? {} : { busy }), ...(mention === undefined ? {} : { needsMention: mention }) };
}

/** What is nearer wins, key by key: the account's chat type, the account, the platform, the chat type, the gateway. */
function resetPolicy(
  base: Config["gateway"]["reset"],
  platform: string,
  chatType: string,
  own: CommonInput["reset"] = {},
): ResetPolicy {
  const { by_type: ownTypes = {}, ...ownPolicy } = own;
  const layers: readonly (PartialReset | undefined)[] = [
    base.by_type[chatType],
    base.by_platform[platform],
    ownPolicy,
    ownTypes[chatType],
  ];
  const pick = <K extends keyof PartialReset>(key: K): PartialReset[K] =>
    layers.reduce<PartialReset[K]>((value, layer) => layer?.[key] ?? value, base[key]);
  return {
    mode: pick("mode") ?? base.mode,
    atHour: pick("at_hour") ?? base.at_hour,
    idleMinutes: pick("idle_minutes") ?? base.idle_minutes,
  };
}
