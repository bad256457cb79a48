import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Incoming } from "#platform/platform.js";
import { PAIRING_CODE_CHARS, PAIRINGS_PENDING_MAX } from "#session/pairing.js";
import { NO_RESET } from "#session/reset-policy.js";
import { type AccessScene, openAccess } from "../../../test/support/access-scene.js";
import { HOUR_MS, MINUTE_MS } from "../../../test/support/manual-clock.js";
import { PaperPlatform } from "../../../test/support/paper-platform.js";
import type { Account } from "../gateway.js";

const kind = new PaperPlatform().kind();

function account(more: Partial<Account> = {}): Account {
  return {
    kind,
    name: "main",
    settings: {},
    allow: [],
    owners: [],
    pairing: true,
    busy: "queue",
    needsMention: true,
    streams: false,
    chats: {},
    resetPolicy: () => NO_RESET,
    ...more,
  };
}

let events = 0;

function message(sender: string, more: Partial<Incoming> = {}): Incoming {
  return {
    eventId: `e${++events}`,
    chat: { type: "dm", id: sender },
    sender: { id: sender, name: `N${sender}` },
    text: "hello",
    isAddressed: true,
    ...more,
  };
}

const open = openAccess;
const shown = ({ all }: AccessScene) =>
  all<{ text: string; address: string }>("SELECT text, address FROM delivery ORDER BY no");
const codeIn = (text: string): string => /code: (\S+)/.exec(text)?.[1] ?? "";

describe("who may speak", () => {
  it("[GW-1] is nobody unless it is said, and the one who is named", async () => {
    const { access } = open();
    expect(await access.judge(account({ pairing: false }), message("42"))).toEqual({ kind: "stranger" });
    const named = account({ allow: ["42"], owners: ["7"] });
    expect(await access.judge(named, message("42"))).toMatchObject({ kind: "known", person: { role: "member" } });
    expect(await access.judge(named, message("7"))).toMatchObject({ kind: "known", person: { role: "owner" } });
    expect(await access.judge(named, message("8"))).toEqual({ kind: "stranger" });
  });

  it("[GW-2] is shown no code", async () => {
    const { access, rows } = open();
    await access.judge(account({ allow: ["42"], owners: ["7"] }), message("42"));
    await access.judge(account({ allow: ["42"], owners: ["7"] }), message("7"));
    expect([rows("pairing"), rows("delivery")]).toEqual([0, 0]);
  });

  it("[GW-1] may be everybody, and a star makes nobody an owner", async () => {
    const { access } = open();
    const everybody = account({ allow: ["*"], owners: ["*"] });
    expect(await access.judge(everybody, message("42"))).toMatchObject({ kind: "known", person: { role: "member" } });
  });

  it("is one person for life, on one platform; without an id nobody", async () => {
    const { access } = open();
    const named = account({ allow: ["*"] });
    const [one, again, other] = await Promise.all(["42", "42", "43"].map((id) => access.judgeSender(named, { id })));
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
    const elsewhere = { ...named, kind: { ...kind, name: "other" } };
    expect(await access.judgeSender(elsewhere, { id: "42" })).not.toEqual(one);
    expect(await access.judgeSender(named, { id: "" })).toEqual({ kind: "stranger" });
  });

  it("[GW-5] is who was let in, until that is revoked, from one message to the next", async () => {
    const scene = open();
    const { access, store, clock } = scene;
    const closed = account();
    await access.judge(closed, message("7"));
    const code = codeIn(shown(scene)[0]?.text ?? "");
    expect(code).toHaveLength(PAIRING_CODE_CHARS);
    await store.approvePairing({ code, role: "owner", by: "terminal", nowMs: clock.nowMs() });
    const known = await access.judge(closed, message("7"));
    expect(known).toMatchObject({ kind: "known", person: { role: "owner", name: "N7" } });
    expect(await access.judgeSender(closed, { id: "new", altId: "7" })).toMatchObject({ kind: "known" });
    await store.revokeAccess({ platform: "paper", account: "main", sender: "7", by: "terminal", nowMs: clock.nowMs() });
    expect(await access.judge(closed, message("7"))).toEqual({ kind: "stranger" });
    const audit = scene.all<{ act: string; subject: string }>("SELECT act, subject FROM audit ORDER BY no");
    expect(audit).toEqual([
      { act: "approve-pairing", subject: "paper:7" },
      { act: "revoke-access", subject: "paper:7" },
    ]);
  });

  it("[GW-3] keeps a pairing by the id that lasts longest", async () => {
    const scene = open();
    const { access, store, clock } = scene;
    await access.judge(account(), message("+49151", { sender: { id: "+49151", altId: "uuid" } }));
    const code = codeIn(shown(scene)[0]?.text ?? "");
    expect(await store.approvePairing({ code, role: "member", by: "t", nowMs: clock.nowMs() })).toMatchObject({
      sender: "uuid",
    });
    expect(await access.judgeSender(account(), { id: "+49999", altId: "uuid" })).toMatchObject({ kind: "known" });
  });
});

describe("a stranger", () => {
  it("[GW-2] hears nothing where pairing is off, in company, or by pressing a button", async () => {
    const { access, rows } = open();
    await access.judge(account({ pairing: false }), message("7"));
    for (const type of ["group", "channel", "thread"] as const) {
      await access.judge(account(), message("7", { chat: { type, id: "c" } }));
    }
    await access.judgeSender(account(), { id: "7" });
    expect([rows("pairing"), rows("delivery"), rows("person")]).toEqual([0, 0, 1]);
  });

  it("[GW-2] [GW-3] is shown one code an hour and leaves nothing else, whatever they send, all at once", async () => {
    const sent = fc.record({
      sender: fc.constantFrom("1", "2", "3", "4", "5", "6"),
      chat: fc.constantFrom("dm", "dm", "dm", "group", "thread") as fc.Arbitrary<"dm" | "group" | "thread">,
      text: fc.constantFrom("hi", "/status", "/pair AAAA", "yes", "", "ap:x:once", "x".repeat(5_000), "'; DROP"),
      isAddressed: fc.boolean(),
      pauseMs: fc.constantFrom(0, 0, 0, MINUTE_MS, HOUR_MS / 2, HOUR_MS),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 60 }), async (messages) => {
        const scene = open();
        const { access, rows, clock } = scene;
        const closed = account();
        let pending: Promise<unknown>[] = [];
        const offers: { sender: string; atMs: number }[] = [];
        const settle = async (): Promise<void> => {
          await Promise.all(pending);
          pending = [];
          for (const { address } of shown(scene).slice(offers.length)) {
            offers.push({ sender: (JSON.parse(address) as { userId: string }).userId, atMs: clock.nowMs() });
          }
        };
        for (const { sender, chat, text, isAddressed, pauseMs } of messages) {
          if (pauseMs > 0) await settle();
          clock.advance(pauseMs);
          const media = { name: "x", mediaType: "image/png", fetch: () => Promise.reject(new Error("fetched")) };
          const said = message(sender, { chat: { type: chat, id: sender }, text, isAddressed, media: [media] });
          pending.push(access.judge(closed, said));
          pending.push(access.judgeSender(closed, { id: sender }));
        }
        await settle();
        expect(shown(scene).every(({ text }) => codeIn(text).length === PAIRING_CODE_CHARS)).toBe(true);
        for (const [at, { sender, atMs }] of offers.entries()) {
          const before = offers.slice(0, at).filter((one) => one.atMs > atMs - HOUR_MS);
          expect(before.some((one) => one.sender === sender)).toBe(false);
          expect(before.length).toBeLessThan(PAIRINGS_PENDING_MAX);
        }
        for (const table of ["input", "conversation", "chat_command", "route", "person_account", "access_grant"]) {
          expect([table, rows(table)]).toEqual([table, 0]);
        }
        expect(rows("pairing")).toBeLessThanOrEqual(PAIRINGS_PENDING_MAX);
      }),
      { numRuns: 60 },
    );
  });

  it("[GW-3] leaves no code in clear in the store but the text that shows it", async () => {
    const scene = open();
    const { access, all } = scene;
    await access.judge(account(), message("7"));
    const code = codeIn(shown(scene)[0]?.text ?? "");
    const stored = all<Record<string, unknown>>("SELECT * FROM pairing");
    expect(JSON.stringify(stored)).not.toContain(code);
  });
});
