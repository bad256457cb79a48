/**
 * Methods of the terminal clients' protocol behind which Talaria has nothing: each answers with the empty result its
 * clients understand, or says that it is not available. Never null: clients take that for a broken host. An empty
 * result is given where nothing is the truth (no rollbacks, no pets, not logged in); where an empty answer would look as
 * if something had been done, it is an error.
 */
import { AnswerError, NOT_AVAILABLE_MESSAGE, type RpcError, rpcError } from "./error-codes.js";
import type { JsonObject } from "./frame.js";

export type Unavailable =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly error: RpcError };

export const UNAVAILABLE = {
  "session.cwd.set": no("a session keeps the folder it was started in"),

  "terminal.read.respond": no("no tool reads the terminal"),
  "llm.oneshot": no(),
  "preview.restart": no(),
  "handoff.request": no(),
  "handoff.state": nothing({ state: "", platform: "", error: "" }),
  "handoff.fail": no(),

  "image.attach_bytes": no(),
  "pdf.attach": no(),
  "file.attach": no("name the file in the message instead"),
  "image.detach": nothing({ detached: false, count: 0 }),

  "cli.exec": nothing({ blocked: true, hint: "run it in a shell: talaria …", code: 1, output: "" }),

  "config.show": nothing({ sections: [] }),
  "setup.runtime_check": no("talaria doctor checks the set-up"),
  "model.save_key": no("talaria setup stores keys"),
  "model.disconnect": no(),
  "reload.env": nothing({ updated: 0 }),

  "tools.configure": no(),
  "skills.manage": nothing({ skills: {}, results: [], items: [], page: 1, total: 0, total_pages: 0 }),
  "skills.reload": nothing({ output: "There are no skills.", result: {} }),
  "plugins.manage": no("talaria plugins lists, enables and disables plugins"),
  "plugins.list": no("talaria plugins list shows them"),
  "agents.list": nothing({ processes: [] }),
  "rollback.list": nothing({ enabled: false, checkpoints: [] }),
  "rollback.diff": no(),
  "rollback.restore": no(),
  "delegation.pause": nothing({ paused: false }),
  "subagent.interrupt": nothing({ found: false, subagent_id: "" }),
  "spawn_tree.save": no(),
  "spawn_tree.list": nothing({ entries: [] }),
  "spawn_tree.load": no(),
  "browser.manage": nothing({ connected: false, url: "", messages: [] }),
  "cron.manage": no(),
  "insights.get": no("the slash command insights shows them"),
  "project.facts": nothing({ facts: null }),

  "voice.toggle": nothing({
    enabled: false,
    tts: false,
    record_key: "",
    available: false,
    audio_available: false,
    stt_available: false,
    details: "Talaria has no voice.",
  }),
  "voice.record": no(),
  "voice.tts": no(),
  "pet.gallery": nothing({ enabled: false, active: "", pets: [] }),
  "pet.select": no(),
  "pet.info": nothing({ enabled: false }),
  "pet.thumb": nothing({ ok: false, dataUri: "" }),
  "pet.remove": no(),
  "pet.disable": nothing({ ok: true }),
  "pet.scale": no(),
  "credits.view": nothing({
    logged_in: false,
    balance_lines: [],
    identity_line: "",
    topup_url: "",
    depleted: false,
  }),
  "billing.state": nothing({ ok: true, logged_in: false }),
  "billing.charge": refusedInResult(),
  "billing.charge_status": refusedInResult(),
  "billing.auto_reload": refusedInResult(),
  "billing.step_up": refusedInResult(),
} as const satisfies Record<string, Unavailable>;

export type UnavailableName = keyof typeof UNAVAILABLE;

export function isUnavailableName(name: string): name is UnavailableName {
  return Object.hasOwn(UNAVAILABLE, name);
}

/** What a method that has no schemas answers: its empty result, or an error that is thrown as it is to be sent. */
export function unavailableAnswer(method: string): JsonObject {
  if (!isUnavailableName(method)) throw new AnswerError(rpcError("unknownMethod", `unknown method: ${method}`));
  const answer: Unavailable = UNAVAILABLE[method];
  if (answer.kind === "error") throw new AnswerError(answer.error);
  return answer.result;
}

function nothing(result: JsonObject): Unavailable {
  return { kind: "result", result };
}

function no(instead?: string): Unavailable {
  const message = instead === undefined ? NOT_AVAILABLE_MESSAGE : `${NOT_AVAILABLE_MESSAGE}: ${instead}`;
  return { kind: "error", error: rpcError("notAvailable", message) };
}

/** The vendor's account methods tell their failures inside a result. */
function refusedInResult(): Unavailable {
  return nothing({ ok: false, error: "not_available", message: NOT_AVAILABLE_MESSAGE });
}
