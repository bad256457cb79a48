/**
 * Runs something that computes and may never end, for so long and no longer: a stranger's pattern, a stranger's page.
 * The engine is stopped from outside in the middle of whatever it does, so that `work` must be free of side effects
 * on anything that is used afterwards. Everybody else waits meanwhile: keep the limit short.
 */
import { createContext, Script } from "node:vm";

export type Boxed<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "out-of-time" };

const box: { work?: () => unknown } = createContext(Object.create(null));
const script = new Script("work()");

export function timeBox<T>(work: () => T, limitMs: number): Boxed<T> {
  const outer = box.work;
  box.work = work;
  try {
    return { kind: "done", value: script.runInContext(box, { timeout: limitMs }) as T };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    return { kind: "out-of-time" };
  } finally {
    if (outer === undefined) delete box.work;
    else box.work = outer;
  }
}
