/** Chats: codes and who they let in, commands that are rows until they are answered, questions put to people. */
import { describe, expect, it } from "vitest";
import type { ApprovalId, ChatCommandId, ConversationId, DeliveryId, JobId, PersonId } from "#base/ids.js";
import { HOUR_MS, MINUTE_MS } from "../../../test/support/manual-clock.js";
import {
  ADDRESS,
  CHAT,
  HOST,
  type OpenStore,
  OTHER_CHAT,
  OWNER,
  only,
  passOf,
  Scenario,
} from "../../../test/support/scenario.js";
import type { Address } from "../address.js";
import { PAIRING_FAILURES_MAX, PAIRINGS_PENDING_MAX } from "../pairing.js";
import { COMMAND_ATTEMPTS_MAX, COMMAND_CHARS_MAX, COMMANDS_QUEUED_MAX } from "../verbs/chat.js";

const PLACE = { platform: "telegram", account: "bot" } as const;

export function describeChats(open: OpenStore): void {
  describe("pairing", () => describePairing(open));
  describe("a command in a chat", () => describeCommands(open));
  describe("a question in a chat", () => describeQuestions(open));
}

function dm(sender: string): Address {
  return { ...ADDRESS, chatId: sender, userId: sender };
}

async function offer(scene: Scenario, sender: string, code = `CODE${sender}`, account = "bot") {
  const address = { ...dm(sender), account };
  return scene.store.offerPairing({
    ...PLACE,
    account,
    sender,
    name: `N${sender}`,
    address,
    code,
    nowMs: scene.tick(),
  });
}

const look = (scene: Scenario, sender: string, more: { altId?: string; account?: string } = {}) =>
  scene.store.access({ ...PLACE, sender, ...more, nowMs: scene.clock.nowMs() });
const approve = (scene: Scenario, code: string, role: "owner" | "member" = "member") =>
  scene.store.approvePairing({ code, role, by: "terminal", nowMs: scene.tick() });
const standing = (scene: Scenario) => scene.store.pairings({ limit: 99, nowMs: scene.clock.nowMs() });

/** Everything owed, in order of lines; each is taken as sent. */
async function owed(scene: Scenario): Promise<{ to: string | undefined; text: string }[]> {
  const all: { to: string | undefined; text: string }[] = [];
  for (;;) {
    const due = await scene.store.claimDeliveries({ host: HOST, limit: 99, nowMs: scene.clock.nowMs() });
    if (due.length === 0) return all;
    for (const { id, address, text } of due) {
      all.push({ to: address.chatId, text });
      await scene.store.settleDelivery({ id, event: { type: "sent", receipt: "r" }, nowMs: scene.clock.nowMs() });
    }
  }
}

function describePairing(open: OpenStore): void {
  it("[GW-2] [GW-3] shows a code once, in the commit that stores its hash", async () => {
    const scene = await Scenario.open(open);
    expect(await offer(scene, "7", "ABCD2345")).toEqual({ kind: "offered" });
    const again = await Promise.all(Array.from({ length: 20 }, (_, at) => offer(scene, "7", `OTHER${at}`)));
    expect(again.every(({ kind }) => kind === "pending")).toBe(true);
    const told = await owed(scene);
    expect(told).toEqual([{ to: "7", text: expect.stringContaining("ABCD2345") }]);
    expect(await look(scene, "7")).toEqual({ granted: null, person: null, mayPair: false });
  });

  it("[GW-3] gives a new code when the last one is too old, so at most one an hour", async () => {
    const scene = await Scenario.open(open);
    await offer(scene, "7", "FIRST222");
    scene.clock.advance(HOUR_MS - 2 * MINUTE_MS);
    expect(await offer(scene, "7", "SECOND22")).toEqual({ kind: "pending" });
    scene.clock.advance(2 * MINUTE_MS);
    expect((await look(scene, "7")).mayPair).toBe(true);
    expect((await standing(scene)).pending).toEqual([]);
    expect(await approve(scene, "FIRST222")).toEqual({ kind: "expired" });
    expect(await offer(scene, "7", "SECOND22")).toEqual({ kind: "offered" });
    expect(await approve(scene, "FIRST222")).toMatchObject({ kind: "unknown" });
    expect(await approve(scene, "SECOND22")).toMatchObject({ kind: "approved", sender: "7" });
  });

  it("[GW-3] has few codes out on an account at once, whoever asks and however fast", async () => {
    const scene = await Scenario.open(open);
    const asked = await Promise.all(Array.from({ length: 12 }, (_, at) => offer(scene, `${at}`)));
    expect(asked.filter(({ kind }) => kind === "offered")).toHaveLength(PAIRINGS_PENDING_MAX);
    expect(asked.filter(({ kind }) => kind === "full")).toHaveLength(12 - PAIRINGS_PENDING_MAX);
    expect(await owed(scene)).toHaveLength(PAIRINGS_PENDING_MAX);
    expect((await look(scene, "50")).mayPair).toBe(false);
    expect(await standing(scene)).toMatchObject({ full: [PLACE], lockedUntilMs: null });
    // Another account of ours has room of its own, and an approval makes room.
    expect((await look(scene, "50", { account: "second" })).mayPair).toBe(true);
    expect(await offer(scene, "50", "CODE50", "second")).toEqual({ kind: "offered" });
    await approve(scene, "CODE0");
    expect(await offer(scene, "51")).toEqual({ kind: "offered" });
    expect(await offer(scene, "52")).toEqual({ kind: "full" });
    scene.clock.advance(HOUR_MS);
    expect(await offer(scene, "52")).toEqual({ kind: "offered" });
  });

  it("[GW-5] lets somebody in once, tells them, and knows them from then on, also after a restart", async () => {
    const scene = await Scenario.open(open);
    await offer(scene, "7", "ABCD2345");
    await owed(scene);
    const results = await Promise.all([approve(scene, "abcd-2345"), approve(scene, " ABCD 2345 ")]);
    expect(results[0]).toEqual({ kind: "approved", ...PLACE, sender: "7", name: "N7", role: "member" });
    expect(results[1]).toMatchObject({ kind: "unknown" });
    if (scene.isDurable) await scene.restart();
    expect(await look(scene, "7")).toMatchObject({ granted: "member", person: { name: "N7" } });
    expect(await look(scene, "new-id", { altId: "7" })).toMatchObject({ granted: "member" });
    expect(await look(scene, "8")).toMatchObject({ granted: null, person: null, mayPair: true });
    expect(await scene.store.access({ platform: "irc", account: "bot", sender: "7", nowMs: 1 })).toMatchObject({
      granted: null,
    });
    expect(await owed(scene)).toEqual([{ to: "7", text: expect.stringMatching(/^You are in\./) }]);
    expect(await offer(scene, "7")).toEqual({ kind: "granted" });
    expect(await owed(scene)).toEqual([]);
  });

  it("[GW-5] revokes at once, once; the next code may make the same person an owner", async () => {
    const scene = await Scenario.open(open);
    await offer(scene, "7", "ABCD2345");
    await approve(scene, "ABCD2345");
    const person = (await look(scene, "7")).person?.id;
    const revoke = () => scene.store.revokeAccess({ ...PLACE, sender: "7", by: "terminal", nowMs: scene.tick() });
    expect(await revoke()).toEqual({ kind: "revoked" });
    expect(await revoke()).toEqual({ kind: "unknown" });
    expect(await look(scene, "7")).toMatchObject({ granted: null, mayPair: true, person: { id: person } });
    await offer(scene, "7", "WXYZ2345");
    expect(await approve(scene, "WXYZ2345", "owner")).toMatchObject({ kind: "approved", role: "owner" });
    expect(await look(scene, "7")).toMatchObject({ granted: "owner", person: { id: person } });
    expect((await standing(scene)).granted).toMatchObject([{ sender: "7", role: "owner", by: "terminal" }]);
  });

  it("[GW-7] [GW-23] knows in which direct chat of an account an owner was last", async () => {
    const scene = await Scenario.open(open);
    const there = { ...PLACE, account: "second" };
    const keep = (address: Address) => scene.store.keepOwnerChat({ address, nowMs: scene.tick() });
    const known = async () => [await scene.store.ownerChat(PLACE), await scene.store.ownerChat(there)];
    await offer(scene, "7", "AAAA2222");
    await approve(scene, "AAAA2222");
    expect(await known()).toEqual([null, null]);
    await offer(scene, "8", "BBBB2222");
    await approve(scene, "BBBB2222", "owner");
    expect(await known()).toMatchObject([dm("8"), null]);
    const second = { ...dm("8"), ...there };
    const kept = [await keep(dm("9")), await keep(second), await keep(second)];
    expect(kept.map(({ kind }) => kind)).toEqual(["kept", "kept", "known"]);
    if (scene.isDurable) await scene.restart();
    expect(await known()).toEqual([dm("9"), second]);
  });

  it("[GW-23] is for the account that showed the code: the same id on another one stays a stranger", async () => {
    const scene = await Scenario.open(open);
    await offer(scene, "7", "AAAA2222");
    await offer(scene, "7", "BBBB2222", "second");
    expect(await approve(scene, "AAAA2222", "owner")).toMatchObject({ ...PLACE, sender: "7" });
    if (scene.isDurable) await scene.restart();
    const there = { account: "second" };
    expect(await look(scene, "7", there)).toMatchObject({ granted: null, person: null });
    expect(await look(scene, "new-id", { ...there, altId: "7" })).toMatchObject({ granted: null });
    expect((await standing(scene)).pending).toMatchObject([{ ...there, sender: "7" }]);
    expect(await approve(scene, "BBBB2222")).toMatchObject({ kind: "approved", ...there, role: "member" });
    const [here, elsewhere] = [await look(scene, "7"), await look(scene, "7", there)];
    expect([here.granted, elsewhere.granted]).toEqual(["owner", "member"]);
    expect(here.person?.id).not.toBe(elsewhere.person?.id);
    expect((await standing(scene)).granted).toMatchObject([
      { ...PLACE, sender: "7", role: "owner" },
      { ...PLACE, ...there, sender: "7", role: "member" },
    ]);
    const who = { ...PLACE, ...there, sender: "7", by: "terminal" };
    expect(await scene.store.revokeAccess({ ...who, nowMs: scene.tick() })).toEqual({ kind: "revoked" });
    expect([(await look(scene, "7")).granted, (await look(scene, "7", there)).granted]).toEqual(["owner", null]);
  });

  it("[GW-4] takes no code for an hour after five wrong ones, right ones included, over restarts", async () => {
    const scene = await Scenario.open(open);
    await offer(scene, "7", "ABCD2345");
    const tries = await Promise.all(Array.from({ length: 8 }, (_, at) => approve(scene, `WRONG${at}`)));
    expect(tries.map((one) => (one.kind === "unknown" ? one.triesLeft : one.kind))).toEqual([
      4,
      3,
      2,
      1,
      0,
      ...Array.from({ length: 8 - PAIRING_FAILURES_MAX }, () => "locked"),
    ]);
    if (scene.isDurable) await scene.restart();
    expect(await approve(scene, "ABCD2345")).toMatchObject({ kind: "locked" });
    const { lockedUntilMs } = await standing(scene);
    expect(lockedUntilMs).toBeGreaterThan(scene.clock.nowMs());
    scene.clock.advance(HOUR_MS);
    expect((await standing(scene)).lockedUntilMs).toBeNull();
    await offer(scene, "7", "EFGH2345");
    expect(await approve(scene, "EFGH2345")).toMatchObject({ kind: "approved" });
  });

  it("[GW-4] forgets wrong codes that are an hour old, and counts them anew after a pause", async () => {
    const scene = await Scenario.open(open);
    for (let at = 0; at < 4; at++) await approve(scene, "WRONG");
    scene.clock.advance(HOUR_MS);
    expect(await approve(scene, "WRONG")).toEqual({ kind: "unknown", triesLeft: 4 });
    for (let at = 0; at < 4; at++) await approve(scene, "WRONG");
    expect(await approve(scene, "WRONG")).toMatchObject({ kind: "locked" });
    scene.clock.advance(HOUR_MS);
    expect(await approve(scene, "WRONG")).toEqual({ kind: "unknown", triesLeft: 4 });
  });
}

interface Said {
  readonly eventId?: string;
  readonly routeKey?: string;
  readonly account?: string;
}

const admit = (scene: Scenario, line: string, { eventId = "e1", routeKey = CHAT, account = "bot" }: Said = {}) =>
  scene.store.admitCommand({
    ...PLACE,
    account,
    eventId,
    routeKey,
    address: dm("7"),
    author: OWNER,
    line,
    nowMs: scene.tick(),
  });
const begin = (scene: Scenario, command: ChatCommandId) => scene.store.beginCommand({ command, nowMs: scene.tick() });
const finish = (scene: Scenario, command: ChatCommandId, parts: readonly string[], conversation?: ConversationId) =>
  scene.store.finishCommand({
    command,
    outcome: { kind: "done" },
    parts,
    ...(conversation === undefined ? {} : { conversation }),
    nowMs: scene.tick(),
  });

function describeCommands(open: OpenStore): void {
  it("[GW-6] [CT-2] is stored once for every event, by five deliveries at once, and over restarts", async () => {
    const scene = await Scenario.open(open);
    const admitted = await Promise.all(Array.from({ length: 5 }, () => admit(scene, "/status")));
    expect(admitted.map(({ kind }) => kind)).toEqual(["new", "duplicate", "duplicate", "duplicate", "duplicate"]);
    if (scene.isDurable) await scene.restart();
    expect(await scene.store.openCommands({ limit: 9 })).toMatchObject([
      { line: "/status", attempts: 0, eventId: "e1", routeKey: CHAT, author: OWNER, address: dm("7") },
    ]);
    await finish(scene, only("new", first(admitted)).command, ["fine"]);
    expect(await admit(scene, "/status")).toEqual({ kind: "duplicate" });
    expect(await admit(scene, "/status", { account: "second" })).toMatchObject({ kind: "new" });
  });

  it("[CT-2] is no command when the same event was a message before", async () => {
    const scene = await Scenario.open(open);
    await scene.said("/status", { eventId: "e1" });
    expect(await admit(scene, "/status")).toEqual({ kind: "duplicate" });
    expect(await scene.store.openCommands({ limit: 9 })).toEqual([]);
  });

  it("[GW-6] [CT-3] ends in the commit that owes its answer, once; then its words are gone", async () => {
    const scene = await Scenario.open(open);
    const { command } = only("new", await admit(scene, "/title a secret plan"));
    expect(await begin(scene, command)).toEqual({ kind: "begun", attempts: 1, from: null, at: null });
    const ends = await Promise.all([1, 2, 3].map(() => finish(scene, command, ["one", "two"])));
    expect(ends.map(({ kind }) => kind)).toEqual(["finished", "ended", "ended"]);
    expect((await owed(scene)).map(({ text }) => text)).toEqual(["one", "two"]);
    expect(await begin(scene, command)).toEqual({ kind: "ended" });
    expect(await scene.store.openCommands({ limit: 9 })).toEqual([]);
  });

  it("[GW-10] counts every attempt before it is made, and is spent after three", async () => {
    const scene = await Scenario.open(open);
    const { command } = only("new", await admit(scene, "/status"));
    for (let attempts = 1; attempts <= COMMAND_ATTEMPTS_MAX; attempts++) {
      expect(await begin(scene, command)).toMatchObject({ kind: "begun", attempts });
      if (scene.isDurable) await scene.restart();
    }
    expect(await begin(scene, command)).toEqual({ kind: "spent" });
    const outcome = { kind: "dead", reason: "it ended the program" } as const;
    await scene.store.finishCommand({ command, outcome, parts: ["sorry"], nowMs: scene.tick() });
    expect((await owed(scene)).map(({ text }) => text)).toEqual(["sorry"]);
    expect(await begin(scene, command)).toEqual({ kind: "ended" });
  });

  it("[GW-8] remembers where its chat led when it was first begun, and tells where it leads now", async () => {
    const scene = await Scenario.open(open);
    const { conversation: from } = await scene.exchange("hello", "hi");
    const { command } = only("new", await admit(scene, "/new"));
    expect(await begin(scene, command)).toMatchObject({ from, at: from });
    const actor = { platform: "telegram", routeKey: CHAT };
    const reset = await scene.store.reset({ actor, from, start: { source: "telegram" }, nowMs: scene.tick() });
    const at = only("reset", reset).conversation;
    expect(await begin(scene, command)).toMatchObject({ attempts: 2, from, at });
  });

  it("has bounds: so many of one chat, so long a line; others are untouched by them", async () => {
    const scene = await Scenario.open(open);
    const admitted = await Promise.all(
      Array.from({ length: COMMANDS_QUEUED_MAX + 2 }, (_, at) => admit(scene, "/status", { eventId: `m${at}` })),
    );
    expect(admitted.filter(({ kind }) => kind === "full")).toHaveLength(2);
    expect(await admit(scene, "/status", { routeKey: OTHER_CHAT })).toMatchObject({ kind: "new" });
    expect(await scene.store.openCommands({ routeKey: OTHER_CHAT, limit: 9 })).toMatchObject([
      { routeKey: OTHER_CHAT },
    ]);
    expect(await scene.store.openCommands({ limit: 999 })).toHaveLength(COMMANDS_QUEUED_MAX + 1);
    expect(await admit(scene, `/${"x".repeat(COMMAND_CHARS_MAX)}`, { eventId: "long" })).toEqual({ kind: "too-long" });
    await finish(scene, only("new", first(admitted)).command, []);
    expect(await admit(scene, "/status", { eventId: "more" })).toMatchObject({ kind: "new" });
  });

  it("[ST-14] leaves nothing of a deleted conversation: its answer goes with it", async () => {
    const scene = await Scenario.open(open);
    const { conversation } = await scene.exchange("hello", "hi");
    const { command } = only("new", await admit(scene, "/status"));
    await finish(scene, command, ["where you are"], conversation);
    await owed(scene);
    expect((await scene.store.standing({ conversation, limit: 9 })).deliveries).toHaveLength(1);
    await scene.store.remove({ conversation, by: "owner", nowMs: scene.tick() });
    const late = only("new", await admit(scene, "/usage", { eventId: "e2" }));
    expect(await finish(scene, late.command, ["gone"], conversation)).toEqual({ kind: "finished" });
    expect((await owed(scene)).map(({ text }) => text)).toEqual(["gone"]);
  });

  it("[CM-4] a chat that led to another's conversation and expired begins one of its own person's", async () => {
    const scene = await Scenario.open(open);
    const policy = { mode: "idle", idleMinutes: 10, atHour: 4 } as const;
    const adas = await scene.exchange("hello", "hi", { key: CHAT, author: { account: "1" } });
    await scene.exchange("hello", "hi", { key: OTHER_CHAT, author: { account: "2" }, policy });
    const actor = { platform: "telegram", routeKey: OTHER_CHAT };
    await scene.store.resume({ actor, to: adas.conversation, nowMs: scene.tick() });
    scene.clock.advance(HOUR_MS);
    const fresh = await scene.said("private", { key: OTHER_CHAT, author: { account: "2" }, policy });
    expect(fresh.resetFrom?.conversation).toBe(adas.conversation);
    const owner = (await scene.store.person({ ...PLACE, sender: "2", nowMs: 1 })).id;
    expect(await scene.card(fresh.conversation)).toMatchObject({ owner, lineage: "reset" });
  });

  it("[GW-11] what a job has to tell is told once, with the job's end", async () => {
    const scene = await Scenario.open(open);
    const job = { kind: "tell", key: "k", payload: {}, dueMs: 0 };
    const { id } = await scene.store.enqueueJob(job);
    const tell = (which: JobId) =>
      scene.store.tellJob({ job: which, address: dm("7"), text: "back", nowMs: scene.tick() });
    expect(await tell(id)).toEqual({ kind: "unknown" });
    await scene.store.claimJobs({ host: HOST, kinds: ["tell"], limit: 9, nowMs: scene.tick() });
    const told = await Promise.all([tell(id), tell(id), tell("nosuchjob" as JobId)]);
    expect(told.map(({ kind }) => kind)).toEqual(["told", "unknown", "unknown"]);
    expect(await owed(scene)).toEqual([{ to: "7", text: "back" }]);
  });
}

function first<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error("the list is empty");
  return one;
}

function describeQuestions(open: OpenStore): void {
  const ask = async (scene: Scenario, author: string) => {
    const turn = await scene.turn("go", { author: { account: author, name: `N${author}` } });
    const call = await scene.callTool(turn);
    const question = { kind: "permission", summary: "rm box" };
    const asked = await scene.store.askApproval({ ...passOf(turn), call, question, nowMs: scene.tick() });
    return { turn, approval: only("asked", asked).approval };
  };
  const openIn = (scene: Scenario, routeKey = CHAT, eventId = "e9") =>
    scene.store.openQuestion({ ...PLACE, routeKey, eventId });

  it("[GW-7] is known with who said what its turn works on, open or answered", async () => {
    const scene = await Scenario.open(open);
    const { turn, approval } = await ask(scene, "7");
    const author = { id: (await look(scene, "7")).person?.id as PersonId, name: "N7" };
    const question = { kind: "permission", summary: "rm box" };
    const { conversation } = turn;
    expect(await scene.store.question({ approval })).toEqual({
      approval,
      conversation,
      author,
      question,
      answer: null,
    });
    expect(await openIn(scene)).toMatchObject({ isKnown: false, queued: 0, question: { approval } });
    expect((await openIn(scene, OTHER_CHAT)).question).toBeNull();
    await scene.store.decideApproval({ approval, answer: "deny", by: OWNER, nowMs: scene.tick() });
    expect(await scene.store.question({ approval })).toMatchObject({ answer: "deny" });
    expect((await openIn(scene)).question).toBeNull();
    expect(await scene.store.question({ approval: "nosuchone" as ApprovalId })).toBeNull();
  });

  it("[CT-3] leads to the messages that put it, in its chat and an owner's, once it is decided", async () => {
    const scene = await Scenario.open(open);
    const { store } = scene;
    const turn = await scene.turn("go", { author: { account: "7", name: "N7" } });
    const [call, other] = [await scene.callTool(turn), await scene.callTool(turn)];
    const question = { kind: "permission", summary: "rm box" };
    const address: Address = { ...PLACE, chatType: "dm", chatId: "7" };
    const asking = { platform: PLACE.platform, address, parts: ["May I", "run this?"] };
    const telling = { platform: PLACE.platform, address: dm("1"), parts: ["may they?"] };
    const pass = passOf(turn);
    const asked = async (wish: object) =>
      only("asked", await store.askApproval({ ...pass, call, question, ...wish, nowMs: scene.tick() })).approval;
    const approval = await asked({ asking, telling });
    expect(await asked({ asking, telling })).toBe(approval);
    const unsaid = await asked({ call: other });
    const standing = () => store.questionStanding({ approval });
    expect(await standing()).toEqual({ kind: "open" });
    const by = (await look(scene, "7")).person?.id as PersonId;
    for (const one of [approval, unsaid])
      await store.decideApproval({ approval: one, answer: "session", by, nowMs: scene.tick() });
    expect(await standing()).toMatchObject({ messages: [{ receipt: null }, { receipt: null }] });
    for (const receipt of ["r1", "r2", "r3"]) {
      const nowMs = scene.tick();
      const [due] = await store.claimDeliveries({ host: HOST, limit: 1, nowMs });
      await store.settleDelivery({ id: first([due])?.id as DeliveryId, event: { type: "sent", receipt }, nowMs });
    }
    const message = { delivery: expect.any(String), isMarked: false };
    expect(await standing()).toEqual({
      kind: "decided",
      messages: [
        { ...message, address: dm("1"), text: "may they?", receipt: expect.stringMatching(/^r/) },
        { ...message, address, text: "run this?", receipt: expect.stringMatching(/^r/) },
      ],
      question,
      answer: "session",
      reply: null,
      by: { id: by, name: "N7" },
    });
    expect(await store.questionStanding({ approval: unsaid })).toEqual({ kind: "nowhere" });
    expect(await store.questionStanding({ approval: "nosuchone" as ApprovalId })).toEqual({ kind: "nowhere" });
  });

  it("[CT-2] [GW-9] is looked at together with what the chat said before: the same event, and commands under way", async () => {
    const scene = await Scenario.open(open);
    await ask(scene, "7");
    const { command } = only("new", await admit(scene, "ap:x:once", { eventId: "e9" }));
    expect(await openIn(scene)).toMatchObject({ isKnown: true, queued: 1 });
    expect(await openIn(scene, CHAT, "other")).toMatchObject({ isKnown: false, queued: 1 });
    expect(await openIn(scene, OTHER_CHAT, "other")).toMatchObject({ queued: 0 });
    await finish(scene, command, []);
    expect(await openIn(scene)).toMatchObject({ isKnown: true, queued: 0 });
  });
}
