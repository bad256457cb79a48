/** A home with shell hooks that write down what they hear, and the program as a person runs it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ChatHome, chatHome } from "../cli/support/chat.js";

const LOOK_MS = 20;
const HEARD_MS_MAX = 45_000;

export interface Heard {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly conversation_id: string;
  readonly delivery_key: string;
  readonly tool_name: string | null;
  readonly tool_input: unknown;
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface HookEntry {
  readonly command: string;
  readonly matcher?: string;
  readonly timeout?: number;
}

export interface HookHome extends ChatHome {
  /** What hooks heard so far, in the order in which they wrote it. */
  heard(): readonly Heard[];
  /** Resolves when so much was heard; fails when it never is. */
  untilHeard(isEnough: (heard: readonly Heard[]) => boolean): Promise<readonly Heard[]>;
  /** A chat that is told these lines. */
  talk(...lines: string[]): ReturnType<ChatHome["run"]>;
  log(): string;
  end(): Promise<void>;
}

/** One line a fact, in one write: hooks of several events run side by side. */
export const NOTE = `tr -d '\\n' > "note.$$" && echo >> "note.$$" && cat "note.$$" >> heard.jsonl; rm -f "note.$$"`;

export function hookHome(hooks: Readonly<Record<string, readonly HookEntry[]>>, more: object = {}): HookHome {
  const home = chatHome({ TALARIA_MODEL: "demo/demo", TALARIA_TITLES_AUTO: "false" });
  mkdirSync(home.path, { mode: 0o700 });
  const config = { hooks_auto_accept: true, ...more, hooks };
  // JSON is YAML; `$${` is how a settings file says `${`.
  writeFileSync(join(home.path, "config.yaml"), JSON.stringify(config).replaceAll("${", "$${"), { mode: 0o600 });
  const heard = (): readonly Heard[] => {
    const path = join(home.path, "heard.jsonl");
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Heard);
  };
  return {
    ...home,
    heard,
    async untilHeard(isEnough) {
      for (let looks = 0; !isEnough(heard()); looks++) {
        if (looks * LOOK_MS > HEARD_MS_MAX) throw new Error(`only heard ${JSON.stringify(heard(), null, 1)}`);
        await sleep(LOOK_MS);
      }
      return heard();
    },
    talk: (...lines) => home.run(["chat"], { input: lines.map((line) => `${line}\n`).join("") }),
    log() {
      const path = join(home.path, "logs", "talaria.log");
      return existsSync(path) ? readFileSync(path, "utf8") : "";
    },
    end: () => home.remove(),
  };
}

export const named = (heard: readonly Heard[], name: string): readonly Heard[] =>
  heard.filter((one) => one.hook_event_name === name);
