/** Lists who asked to be let in and who was, approves a code, and revokes what one opened. */
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import { type PlatformAccount, parseAccount, spellAccount } from "#session/address.js";
import { isCode, NO_CODE } from "#session/pairing.js";
import type { AccessGrant, PairingStanding, PendingPairing } from "#session/verbs/chat.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatSpan } from "../format.js";
import { withReader, withWriter } from "./sessions-store.js";

const LISTED_MAX = 1_000;
/** Who did it, for the audit. */
const BY = "terminal";

export function listPairings(context: CliContext): Promise<void> {
  return withReader(context, async (store) => {
    const standing = await store.pairings({ limit: LISTED_MAX, nowMs: context.clock.nowMs() });
    if (context.out.json) return context.out.document(documentOf(standing));
    show(context, standing);
  });
}

export interface ApproveOptions {
  readonly owner?: boolean;
}

export function approvePairing(context: CliContext, code: string, options: ApproveOptions): Promise<void> {
  const { out, clock } = context;
  const role = options.owner === true ? "owner" : "member";
  if (!isCode(code)) throw new UserError(`${visible(code)} is no code: ${NO_CODE}`, "nothing was tried", EXIT.usage);
  return withWriter(context, async (store) => {
    const nowMs = clock.nowMs();
    const outcome = await store.approvePairing({ code, role, by: BY, nowMs });
    switch (outcome.kind) {
      case "approved": {
        const { name } = outcome;
        if (out.json) return out.document({ approved: whoIs(outcome), name, role });
        const who = name === null ? "" : ` (${visible(name)})`;
        const as = role === "owner" ? " as an owner" : "";
        return out.line(`${visible(whoIs(outcome))}${who} is in${as}, and is told when the gateway runs.`);
      }
      case "expired":
        throw new UserError("that code is too old", "with their next message they get a new one", EXIT["not-found"]);
      case "locked":
        throw new UserError(
          `too many wrong codes: none is taken for ${formatSpan(outcome.untilMs - nowMs)}`,
          "talaria pairing list shows who waits",
        );
      case "unknown":
        throw new UserError(
          "no such code is out",
          outcome.triesLeft === 0
            ? "that was one too many: none is taken for an hour"
            : `they are valid for an hour, once; wrong ones left before a pause: ${outcome.triesLeft}`,
          EXIT["not-found"],
        );
    }
  });
}

export function revokeAccess(context: CliContext, who: string): Promise<void> {
  const [, where = "", sender] = /^([^:]+):(.+)$/s.exec(who) ?? [];
  const account = parseAccount(where);
  if (account === undefined || sender === undefined) {
    throw new UserError(
      `${visible(who)} is not PLATFORM:ID or PLATFORM@ACCOUNT:ID`,
      "talaria pairing list shows them",
      EXIT.usage,
    );
  }
  return withWriter(context, async (store) => {
    const { kind } = await store.revokeAccess({ ...account, sender, by: BY, nowMs: context.clock.nowMs() });
    if (kind === "unknown") {
      throw new UserError(
        `${visible(who)} was not let in by a code`,
        "whom the configuration allows is in platforms.PLATFORM.allow; talaria pairing list shows the others",
        EXIT["not-found"],
      );
    }
    if (context.out.json) return context.out.document({ revoked: who });
    context.out.line(`${visible(who)} is a stranger from the next message on.`);
  });
}

function show({ out, clock }: CliContext, { pending, granted, full, lockedUntilMs }: PairingStanding): void {
  out.table<PendingPairing>(
    [
      { title: "ASKS", value: (row) => visible(whoIs(row)) },
      { title: "NAME", value: ({ name }) => visible(name ?? ""), flexible: true },
      { title: "SINCE", value: ({ offeredMs }) => out.time(offeredMs) },
      { title: "UNTIL", value: ({ expiresMs }) => out.time(expiresMs) },
    ],
    pending,
    "Nobody waits to be let in.",
  );
  for (const account of full) {
    out.note(`${spellAccount(account)} has as many codes out as may be: further strangers get none for now.`);
  }
  if (lockedUntilMs !== null) {
    out.note(`After wrong codes none is taken for ${formatSpan(lockedUntilMs - clock.nowMs())}.`);
  }
  out.line();
  out.table<AccessGrant>(
    [
      { title: "IN", value: (row) => visible(whoIs(row)) },
      { title: "NAME", value: ({ name }) => visible(name ?? ""), flexible: true },
      { title: "ROLE", value: ({ role }) => role },
      { title: "SINCE", value: ({ sinceMs }) => out.time(sinceMs) },
    ],
    granted,
    "Nobody was let in by a code.",
  );
}

/** As `revoke` takes it; the account is named where it is not `main`. */
function whoIs({ sender, ...account }: PlatformAccount & { readonly sender: string }): string {
  return `${spellAccount(account)}:${sender}`;
}

function documentOf({ pending, granted, full, lockedUntilMs }: PairingStanding): Readonly<Record<string, unknown>> {
  const iso = (atMs: number): string => new Date(atMs).toISOString();
  return {
    pending: pending.map(({ offeredMs, expiresMs, ...row }) => ({
      ...row,
      offered: iso(offeredMs),
      expires: iso(expiresMs),
    })),
    granted: granted.map(({ sinceMs, ...row }) => ({ ...row, granted: iso(sinceMs) })),
    full,
    lockedUntil: lockedUntilMs === null ? null : iso(lockedUntilMs),
  };
}
