/** The model that would be asked, and whether what it needs is there. Nobody is asked: that is `models --test`. */
import { inspectConfig } from "#config/load.js";
import { type Examination, type ExamineRequest, ok, warn } from "./doctor-finding.js";
import { currentModel } from "./models.js";

export function examineModel({ home, env }: ExamineRequest): Examination {
  const { label, origin, problem, keyFrom, isDemo } = currentModel(inspectConfig(home, env), env);
  if (problem !== null) {
    const chosen = label === null ? "" : `${label}, by ${origin}, cannot be used: `;
    return warn("model", chosen + problem.message, problem.hint);
  }
  if (isDemo) return ok("model", `the demo model, not an AI: ${origin}; talaria setup finds a real one`);
  return ok("model", `${label}, by ${origin}; key: ${keyFrom ?? "none"}; does it answer? talaria models --test`);
}
