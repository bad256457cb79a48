import { afterEach, describe, expect, it } from "vitest";
import { HOME_OWNER } from "#session/person.js";
import type { Guard } from "#tool/tool.js";
import { Death, dyingStore, type WriteCount } from "../../test/support/dying-store.js";
import { RuntimeScene } from "../../test/support/runtime-scene.js";
import { scriptedModel } from "../../test/support/scripted-model.js";

const ASKS: Guard = { kind: "ask", grant: "pay:anything", why: "it costs money" };

let scene: RuntimeScene;
afterEach(() => scene.remove());

/** Asks for one payment per turn, then answers with what became of it. */
function open(guard: Guard = ASKS): RuntimeScene {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === "tool"
      ? { text: `So: ${last.results[0]?.text}` }
      : { calls: [{ name: "pay", input: { n: 1 } }] };
  });
  scene = new RuntimeScene({ models: [model] });
  return scene.restart({ tools: [scene.tool("pay", "at-most-once", { guard })] });
}

describe("a call that needs a person's leave", () => {
  it("[AP-1] runs once it is allowed, and asks again the next time", async () => {
    const person = open().person({ answer: "once" });
    const { conversation } = await scene.turn("pay", undefined, person);
    await scene.turn("pay again", conversation, person);
    expect(scene.effects).toEqual(["pay:1", "pay:1"]);
    expect(person.asked).toHaveLength(2);
    expect(person.asked[0]).toEqual({
      kind: "permission",
      tool: "pay",
      summary: "pay 1",
      why: "it costs money",
      grant: "pay:anything",
    });
  });

  it("[TC-3] [AP-2] does not run when it is denied, and the model is told in words", async () => {
    const person = open().person({ answer: "deny", reply: "not today" });
    const report = await scene.turn("pay", undefined, person);
    expect(scene.effects).toEqual([]);
    expect(report.text).toMatch(/denied this.*not today/);
  });

  it("is not asked about again in the conversation after `session`, but elsewhere", async () => {
    const person = open().person({ answer: "session" });
    const { conversation } = await scene.turn("pay", undefined, person);
    scene.restart();
    await scene.turn("pay again", conversation, person);
    expect(person.asked).toHaveLength(1);
    await scene.turn("pay elsewhere", undefined, person);
    expect(person.asked).toHaveLength(2);
  });

  it("is not asked about anywhere after `always`, until that is revoked", async () => {
    const person = open().person({ answer: "always" });
    await scene.turn("pay", undefined, person);
    await scene.turn("pay elsewhere", undefined, person);
    expect(person.asked).toHaveLength(1);
    await scene.store.revokeGrant({ name: "pay:anything", nowMs: scene.clock.nowMs() });
    await scene.turn("pay once more", undefined, person);
    expect(person.asked).toHaveLength(2);
  });

  it("[AP-1] waits when nobody is there, over a restart, and runs once when somebody answers", async () => {
    open();
    const report = await scene.turn("pay");
    expect(report).toMatchObject({ outcome: "waiting", questions: [{ question: { grant: "pay:anything" } }] });
    for (let look = 0; look < 5; look++) {
      scene.restart();
      expect((await scene.run(report.conversation))[0]).toMatchObject({ outcome: "waiting" });
    }
    scene.restart();
    const [done] = await scene.run(report.conversation, scene.person({ answer: "once" }));
    expect(done).toMatchObject({ outcome: "completed", text: "So: pay is done", isRecovered: false });
    expect(scene.effects).toEqual(["pay:1"]);
  });

  it("[CT-9] is never set aside for waiting long, however often it is looked at", async () => {
    open();
    const { conversation } = await scene.turn("pay");
    const nobody = scene.person(undefined);
    for (let look = 0; look < 6; look++)
      expect((await scene.restart().run(conversation, nobody))[0]).toMatchObject({ outcome: "waiting" });
    expect(nobody.asked).toHaveLength(6);
    expect((await scene.restart().run(conversation, scene.person({ answer: "once" })))[0]).toMatchObject({
      outcome: "completed",
    });
  });

  it("[CT-10] fires its effect once, whatever dies between the question and the result", async () => {
    for (let at = 1; at <= 12; at++) {
      for (const when of ["before", "after"] as const) {
        open();
        const { conversation } = await scene.turn("pay");
        const count: WriteCount = { writes: 0, verbs: [] };
        scene.restart({ wrap: (store) => dyingStore(store, { at, when }, count) });
        const died = await scene.run(conversation, scene.person({ answer: "once" })).then(
          () => false,
          (error: unknown) => error instanceof Death || Promise.reject(error),
        );
        scene.restart({ wrap: (store) => store });
        const rest = await scene.run(conversation, scene.person({ answer: "once" }));
        if (died && rest.length > 0) expect(rest[0]?.outcome).toBe("completed");
        expect(scene.effects.length).toBeLessThanOrEqual(1);
        const results = (await scene.history(conversation)).filter(({ role }) => role === "tool");
        expect(results).toHaveLength(1);
        if (scene.effects.length === 0) expect(results[0]?.text).toMatch(/unknown/);
        scene.remove();
        if (!died) return;
      }
    }
    throw new Error("the turn has more writes than this test tries");
  });

  it("runs unasked with yolo, but not through the floor", async () => {
    open();
    const yolo = { settings: { isYolo: true } };
    expect(await scene.restart(yolo).turn("pay")).toMatchObject({ outcome: "completed" });
    expect(scene.effects).toEqual(["pay:1"]);
    scene.remove();
    open({ kind: "refuse", why: "it would ruin you" });
    const report = await scene.restart(yolo).turn("pay", undefined, scene.person({ answer: "always" }));
    expect(report.text).toMatch(/Refused: it would ruin you/);
    expect(scene.effects).toEqual([]);
  });
});

describe("a question whose answer is words", () => {
  it("[AP-1] keeps the words of whoever answered first", async () => {
    const model = scriptedModel(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "tool" ? { text: `You said ${last.results[0]?.text}` } : { calls: [{ name: "ask" }] };
    });
    scene = new RuntimeScene({ models: [model] });
    const guard: Guard = { kind: "question", text: "Which colour?", choices: [] };
    const act = ({ reply }: { reply: string | undefined }) => ({ kind: "ok" as const, text: reply ?? "nothing" });
    scene.restart({ tools: [scene.tool("ask", "idempotent", { guard, act })] });
    const report = await scene.turn("paint", undefined, {
      async ask(approval) {
        // Another surface is faster.
        const first = { approval, answer: "once", reply: "green", by: HOME_OWNER, nowMs: scene.clock.nowMs() } as const;
        await scene.store.decideApproval(first);
        return { answer: "once", reply: "blue" };
      },
    });
    expect(report.text).toBe("You said green");
  });

  it("is answered by the person's own words, over a restart", async () => {
    const model = scriptedModel(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "tool" ? { text: `You said ${last.results[0]?.text}` } : { calls: [{ name: "ask" }] };
    });
    scene = new RuntimeScene({ models: [model] });
    const guard: Guard = { kind: "question", text: "Which colour?", choices: ["red", "blue"] };
    scene.restart({
      tools: [
        scene.tool("ask", "idempotent", { guard, act: ({ reply }) => ({ kind: "ok", text: reply ?? "nothing" }) }),
      ],
    });
    const parked = await scene.turn("paint");
    expect(parked).toMatchObject({
      outcome: "waiting",
      questions: [{ question: { kind: "clarify", choices: ["red", "blue"] } }],
    });
    const [report] = await scene
      .restart()
      .run(parked.conversation, scene.person({ answer: "once", reply: "green, please" }));
    expect(report?.text).toBe("You said green, please");
  });
});
