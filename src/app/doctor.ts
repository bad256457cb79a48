/**
 * The examination of a home, check by check. Looking never writes: the store is opened read-only, whoever else
 * has it. Only the last step, upkeep, writes, and only after it got the home's lock. A store that is damaged,
 * foreign or newer is a finding, not the end.
 */
import type { Examination, ExamineRequest } from "./doctor-finding.js";
import { examineGateway, examineOutbox } from "./doctor-gateway.js";
import { examineBackups, examineHome } from "./doctor-home.js";
import { examineHooks } from "./doctor-hooks.js";
import { examineHost } from "./doctor-host.js";
import { examineModel } from "./doctor-model.js";
import { examinePlugins } from "./doctor-plugins.js";
import { examineStore } from "./doctor-store.js";
import { keepUp } from "./doctor-upkeep.js";

export async function* examine(request: ExamineRequest): AsyncGenerator<Examination> {
  yield* examineHome(request);
  yield examineModel(request);
  yield* examinePlugins(request);
  yield* examineGateway(request);
  yield* await examineHost(request);
  const findings = [...examineStore(request)];
  yield* findings;
  const isUsable = findings.every(({ verdict }) => verdict !== "fail");
  const isCurrent = findings.every(({ check, verdict }) => check !== "store" || verdict === "ok");
  if (isUsable && isCurrent) {
    yield* examineOutbox(request);
    yield* examineHooks(request);
  }
  yield* examineBackups(request);
  yield* keepUp(request, isUsable);
}
