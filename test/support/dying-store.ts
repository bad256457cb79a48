/**
 * A store behind which the process dies: at its n-th write, one instruction before or after the commit. From then on
 * nothing is answered, as nothing is by the dead. What was committed stays in the file for the next process.
 */
import type { SessionStore, VerbName } from "#session/store.js";
import { isReading } from "#session/store.js";

export class Death extends Error {
  override readonly name = "Death";
}

export interface DeathPlan {
  readonly at: number;
  readonly when: "before" | "after";
}

export interface WriteCount {
  writes: number;
  readonly verbs: VerbName[];
}

export function dyingStore(store: SessionStore, plan: DeathPlan | undefined, count: WriteCount): SessionStore {
  let isDead = false;
  return new Proxy(store, {
    get(target, name: string) {
      if (name === "close" || name === "then") return Reflect.get(target, name);
      const verb = name as VerbName;
      return async (args: never) => {
        if (isDead) throw new Death();
        const isWrite = !isReading(verb);
        if (isWrite) {
          count.writes++;
          count.verbs.push(verb);
        }
        const isHere = isWrite && plan?.at === count.writes;
        if (isHere && plan?.when === "before") {
          isDead = true;
          throw new Death();
        }
        const result = await (target[verb] as (args: never) => Promise<unknown>)(args);
        if (isHere) {
          isDead = true;
          throw new Death();
        }
        if (isDead) throw new Death();
        return result;
      };
    },
  });
}
