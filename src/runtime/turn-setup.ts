/** Puts together what one turn is made of, from the engine's parts and the turn's own: its cwd, prompt, tools and costs. */
import { systemParts } from "#agent/prompt.js";
import type { TurnParts } from "#agent/turn-parts.js";
import { createToolset } from "#tool/toolset.js";
import { createAllowance } from "./budget.js";
import type { Costs } from "./costs.js";
import { runChildOf } from "./delegation.js";
import type { Engine } from "./engine.js";
import type { StoreJournal } from "./journal.js";
import type { TurnModels } from "./parts.js";
import { createRoomMaker } from "./room.js";
import type { ClaimedRun } from "./run-claimed.js";
import { interceptorsOf } from "./turn-interceptors.js";

export interface TurnPieces {
  readonly journal: StoreJournal;
  readonly models: TurnModels;
  readonly costs: Costs;
}

export async function setUpTurn(
  engine: Engine,
  run: ClaimedRun,
  { journal, models, costs }: TurnPieces,
): Promise<TurnParts> {
  const { claimed, face, signal } = run;
  const { conversation, turn } = claimed;
  const { settings, clock, random, home, spoolDir } = engine;
  const cwd = claimed.cwd ?? engine.cwd;
  const prompt = claimed.prompt ?? (await journal.keepPrompt(await engine.prompt({ cwd, source: claimed.source })));
  const session = (): ReturnType<StoreJournal["session"]> => journal.session();
  const base = {
    conversation,
    turn,
    session,
    journal,
    interceptors: interceptorsOf(engine, run, { session, cwd, models }),
    asked: { seq: claimed.seq, text: claimed.text },
    toolset: createToolset(await engine.toolsFor(claimed, runChildOf(engine, run, costs))),
    models: models.main,
    system: systemParts(prompt, { cwd, nowMs: clock.nowMs() }),
    limits: settings,
    clock,
    random,
    signal,
    isYolo: settings.isYolo || claimed.settings["yolo"] === true,
    glimpse: (one) => face.onGlimpse?.(one),
    toolSurroundings: {
      cwd,
      home,
      spoolDir,
      environment: () => engine.environment({ session: session(), conversation }),
    },
    decision: async (approval, question) => face.ask?.(approval, question, signal),
    allowance: createAllowance({
      budget: settings.budget,
      spent: () => costs.budgeted(),
      today: () => engine.store.spentToday({ conversation, nowMs: clock.nowMs() }),
      models: models.main,
    }),
    spend: (usage) => costs.add(usage),
    spendAside: (usage) => costs.addAside(usage),
  } satisfies Omit<TurnParts, "makeRoom">;
  return { ...base, makeRoom: createRoomMaker(engine, { ...base, auxiliary: models.auxiliary }) };
}
