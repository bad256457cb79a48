/** The tables against the list of the terminal clients' protocol: nothing is missing, nothing is answered with null. */
import { describe, expect, it } from "vitest";
import { AnswerError, ERROR_CODES } from "./error-codes.js";
import { EVENTS } from "./events.js";
import { isMethodName, METHODS } from "./methods.js";
import { isUnavailableName, UNAVAILABLE, type Unavailable, unavailableAnswer } from "./unavailable.js";

/** All of them, by group, as terminal clients know them. */
const NAMES = `
  session.create session.resume session.activate session.close session.delete session.list session.most_recent
  session.active_list session.title session.undo session.compress session.branch session.interrupt session.steer
  session.usage session.status session.save session.history session.cwd.set terminal.resize
  prompt.submit prompt.background approval.respond clarify.respond sudo.respond secret.respond terminal.read.respond
  llm.oneshot preview.restart handoff.request handoff.state handoff.fail
  input.detect_drop image.attach image.attach_bytes pdf.attach file.attach image.detach clipboard.paste paste.collapse
  commands.catalog slash.exec command.dispatch command.resolve complete.slash complete.path cli.exec shell.exec
  config.get config.set config.show setup.status setup.runtime_check model.options model.save_key model.disconnect
  reload.env reload.mcp
  tools.configure tools.list toolsets.list tools.show skills.manage skills.reload plugins.manage plugins.list
  process.stop process.list process.kill agents.list rollback.list rollback.diff rollback.restore delegation.status
  delegation.pause subagent.interrupt spawn_tree.save spawn_tree.list spawn_tree.load browser.manage cron.manage
  insights.get project.facts
  voice.toggle voice.record voice.tts pet.cells pet.gallery pet.select pet.info pet.thumb pet.remove pet.disable
  pet.scale credits.view billing.state billing.charge billing.charge_status billing.auto_reload billing.step_up
`
  .trim()
  .split(/\s+/);

/** What a client needs for every flow; the rest may be empty. */
const ACCEPTANCE = `
  pet.cells setup.status session.create prompt.submit config.get config.set commands.catalog complete.slash
  complete.path input.detect_drop terminal.resize session.active_list session.list session.most_recent session.resume
  session.activate session.close session.delete session.title session.undo session.compress session.branch
  session.interrupt session.steer session.usage session.status session.save approval.respond clarify.respond
  sudo.respond secret.respond slash.exec command.dispatch shell.exec model.options image.attach clipboard.paste
  paste.collapse prompt.background process.stop delegation.status reload.mcp
`
  .trim()
  .split(/\s+/);

const OUR_METHODS = [
  "connection.bye",
  "events.since",
  "events.subscribe",
  "events.unsubscribe",
  "host.hello",
  "host.maintain",
  "host.status",
  "host.stop",
  "session.find",
  "session.presence",
  "session.questions",
  "session.queue",
  "session.queue.cancel",
];

const EVENT_NAMES = `
  gateway.ready skin.changed session.info message.start message.delta message.complete thinking.delta reasoning.delta
  reasoning.available status.update tool.generating tool.start tool.progress tool.complete approval.request
  clarify.request sudo.request secret.request background.complete review.summary notification.show notification.clear
  error subagent.spawn_requested subagent.start subagent.thinking subagent.tool subagent.progress subagent.complete
  browser.progress voice.status voice.transcript billing.step_up.verification terminal.read.request
  preview.restart.progress preview.restart.complete
`
  .trim()
  .split(/\s+/);

const OUR_EVENTS = [
  "compaction.done",
  "connection.closing",
  "message.retracted",
  "message.steered",
  "message.step",
  "message.user",
  "model.fallback",
  "model.retrying",
  "presence.changed",
  "question.answered",
  "queue.changed",
  "session.changed",
];

describe("the tables of the wire", () => {
  it("[PR-5] every one of the hundred methods has an answer, in one table only", () => {
    expect(new Set(NAMES).size).toBe(100);
    const missing = NAMES.filter((name) => !isMethodName(name) && !isUnavailableName(name));
    const twice = NAMES.filter((name) => isMethodName(name) && isUnavailableName(name));
    expect({ missing, twice }).toEqual({ missing: [], twice: [] });
  });

  it("[PR-5] the 42 of the acceptance set have more than an empty answer", () => {
    expect(ACCEPTANCE).toHaveLength(42);
    expect(ACCEPTANCE.filter((name) => !isMethodName(name))).toEqual([]);
  });

  it("what is neither theirs nor listed as ours is in no table", () => {
    const strange = (known: readonly string[], ...tables: readonly object[]): string[] =>
      tables.flatMap((table) => Object.keys(table)).filter((name) => !known.includes(name));
    expect(strange([...NAMES, ...OUR_METHODS], METHODS, UNAVAILABLE)).toEqual([]);
    expect(strange([...EVENT_NAMES, ...OUR_EVENTS], EVENTS)).toEqual([]);
  });

  it("every event of the terminal clients' protocol and every one of ours has a payload", () => {
    expect(Object.keys(EVENTS).sort()).toEqual([...EVENT_NAMES, ...OUR_EVENTS].sort());
  });

  it.each(Object.entries(UNAVAILABLE) as [string, Unavailable][])("[PR-5] %s is never null", (_name, answer) => {
    if (answer.kind === "result") {
      expect(Object.getPrototypeOf(answer.result)).toBe(Object.prototype);
      expect(Object.keys(answer.result).length).toBeGreaterThan(0);
      return;
    }
    expect(answer.error.code).toBe(4040);
    expect(answer.error.message).toMatch(/^not available/);
  });

  it("[PR-5] an empty result is answered, an error is thrown as it is to be sent", () => {
    expect(unavailableAnswer("rollback.list")).toEqual({ enabled: false, checkpoints: [] });
    const thrown = (method: string): unknown => {
      try {
        return unavailableAnswer(method);
      } catch (error) {
        return error instanceof AnswerError ? error.error : error;
      }
    };
    expect(thrown("cron.manage")).toEqual({ code: 4040, message: "not available" });
    expect(thrown("session.creat")).toMatchObject({ code: -32_601 });
    expect(thrown("__proto__")).toMatchObject({ code: -32_601 });
  });

  it("names that every object has are no methods", () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      expect(isMethodName(name) || isUnavailableName(name)).toBe(false);
    }
  });

  it("codes are JSON-RPC's own, or say whose fault it is", () => {
    for (const code of Object.values(ERROR_CODES)) {
      expect((code >= -32_768 && code <= -32_000) || (code >= 4_000 && code < 6_000)).toBe(true);
    }
  });
});

describe("what a client sends", () => {
  it("[PR-6] unknown fields are dropped, absent ones have a default", () => {
    const parsed = METHODS["prompt.submit"].params.parse({ text: "hi", colour: "red", __proto__: { x: 1 } });
    expect(parsed).toEqual({ session_id: "", text: "hi" });
  });

  it.each([
    ["prompt.submit", { session_id: 7, text: "x" }],
    ["prompt.submit", { session_id: "s", text: ["x"] }],
    ["prompt.submit", { session_id: "s", text: "x".repeat(1_000_001) }],
    ["session.resume", { session_id: "s".repeat(1_001) }],
    ["approval.respond", { session_id: "s", choice: "maybe" }],
    ["events.since", { session_id: "s", after: -1 }],
    ["session.create", { messages: Array.from({ length: 2_001 }, () => ({ role: "user", content: "x" })) }],
  ] as const)("[PR-6] %s refuses wrong types and sizes", (name, params) => {
    expect(METHODS[name].params.safeParse(params).success).toBe(false);
  });
});
