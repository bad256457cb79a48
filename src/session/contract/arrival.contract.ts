/** A message that arrives: one reading tells what the readings it stands for tell. */
import { expect, it } from "vitest";
import { CHAT, type OpenStore, OTHER_CHAT, OWNER, only, passOf, Scenario } from "../../../test/support/scenario.js";

const PLACE = { platform: "telegram", account: "bot" } as const;

export function describeArrival(open: OpenStore): void {
  const arrive = (scene: Scenario, routeKey = CHAT, sender = "7") =>
    scene.store.arrival({ ...PLACE, sender, routeKey, eventId: "e9", nowMs: scene.clock.nowMs() });

  it("of a stranger in a new chat finds nothing, and leaves nothing", async () => {
    const scene = await Scenario.open(open);
    const nothing = {
      access: { granted: null, person: null, mayPair: true },
      route: null,
      asked: { isKnown: false, queued: 0, question: null },
      isQuiet: true,
    };
    expect(await arrive(scene)).toEqual(nothing);
    expect(await arrive(scene)).toEqual(nothing);
  });

  it("[GW-5] [GW-7] [GW-9] tells who speaks, where that leads and what is asked there, as each is told alone", async () => {
    const scene = await Scenario.open(open);
    const turn = await scene.turn("go", { author: { account: "7", name: "Ada" } });
    const call = await scene.callTool(turn);
    const question = { kind: "permission", summary: "rm box" };
    const asked = await scene.store.askApproval({ ...passOf(turn), call, question, nowMs: scene.tick() });
    const author = (await arrive(scene)).access.person?.id ?? OWNER;
    const address = { platform: "telegram", account: "bot", chatType: "dm", chatId: "1" };
    const command = { ...PLACE, eventId: "e9", routeKey: CHAT, address, author, line: "/status", nowMs: scene.tick() };
    only("new", await scene.store.admitCommand(command));
    const event = { ...PLACE, routeKey: CHAT, eventId: "e9" };
    const found = await arrive(scene);
    expect(found.access).toEqual(await scene.store.access({ ...PLACE, sender: "7", nowMs: scene.clock.nowMs() }));
    expect(found.route).toEqual(await scene.store.route({ key: CHAT }));
    expect(found.asked).toEqual(await scene.store.openQuestion(event));
    expect(found).toMatchObject({
      access: { person: { name: "Ada" } },
      route: { key: CHAT, conversation: turn.conversation },
      asked: { isKnown: true, queued: 1, question: { approval: only("asked", asked).approval } },
    });
    // Somebody else elsewhere sees nothing of it.
    expect(await arrive(scene, OTHER_CHAT, "8")).toMatchObject({
      access: { person: null },
      route: null,
      asked: { queued: 0, question: null },
      isQuiet: true,
    });
  });

  it("[GW-3] knows a sender by the id that lasts longer, too", async () => {
    const scene = await Scenario.open(open);
    const code = "ABCD2345";
    const address = { platform: "telegram", account: "bot", chatType: "dm", chatId: "7", userId: "7" };
    await scene.store.offerPairing({ ...PLACE, sender: "7", address, code, nowMs: scene.tick() });
    await scene.store.approvePairing({ code, role: "member", by: "terminal", nowMs: scene.tick() });
    const event = { ...PLACE, routeKey: OTHER_CHAT, eventId: "e1", nowMs: scene.clock.nowMs() };
    expect((await scene.store.arrival({ ...event, sender: "new", altId: "7" })).access.granted).toBe("member");
    expect((await scene.store.arrival({ ...event, sender: "new" })).access.granted).toBeNull();
  });

  it("is quiet where nothing is queued and no turn is open: not while one waits in line, runs, or asks", async () => {
    const scene = await Scenario.open(open);
    const isQuiet = async (): Promise<boolean> => (await arrive(scene)).isQuiet;
    const { conversation } = await scene.said("first");
    expect(await isQuiet()).toBe(false);
    const turn = await scene.claim(conversation);
    expect(await isQuiet()).toBe(false);
    const call = await scene.callTool(turn);
    const asked = await scene.store.askApproval({ ...passOf(turn), call, question: {}, nowMs: scene.tick() });
    expect(await isQuiet()).toBe(false);
    expect((await arrive(scene, OTHER_CHAT)).isQuiet).toBe(true);
    const { approval } = only("asked", asked);
    await scene.store.decideApproval({ approval, answer: "once", by: OWNER, nowMs: scene.tick() });
    only("started", await scene.startCall(turn, call));
    only("finished", await scene.finishCall(turn, call, "done"));
    only("settled", await scene.settle(turn));
    expect(await isQuiet()).toBe(true);
  });
}
