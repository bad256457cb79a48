/**
 * A scenario drives the real program through one life and says in words everything that went wrong. The same
 * scenario is clean on the program as it is, and has something to say about a copy with a planted bug.
 */
import type { ChildProcess } from "node:child_process";
import type { Run } from "../cli/support/run.js";
import type { Script } from "../support/model-server/reply.js";
import { type Card, Life } from "./life.js";

export interface Scenario {
  readonly name: string;
  /** Everything that went wrong; nothing when all is well. */
  play(launcher: string): Promise<readonly string[]>;
}

export interface ScenarioWish {
  readonly name: string;
  readonly script: Script;
  readonly environment?: NodeJS.ProcessEnv;
  act(life: Life, complain: Complain): Promise<void>;
}

/** Notes a complaint when the claim does not hold. */
export type Complain = (holds: boolean, complaint: string) => void;

export function defineScenario({ name, script, environment = {}, act }: ScenarioWish): Scenario {
  return {
    name,
    async play(launcher) {
      const life = await Life.begin(launcher, script);
      life.environment = environment;
      const wrong: string[] = [];
      try {
        await act(life, (holds, complaint) => void (holds || wrong.push(complaint)));
      } catch (error) {
        wrong.push(`it went no further: ${error instanceof Error ? error.message : String(error)}`);
      } finally {
        await life.end();
      }
      return wrong;
    },
  };
}

/** Runs a command that is killed at the point. */
export async function killedRun(life: Life, args: readonly string[], point: string): Promise<Run> {
  const run = await life.run(args, point);
  if (run.signal !== "SIGKILL") throw new Error(`${point} was never reached (exit ${run.code}): ${run.stderr}`);
  return run;
}

/** How a run that should have ended so did end, for a complaint. */
export function ending({ code, signal, stderr }: Run): string {
  return `it ended with ${signal ?? code}: ${stderr.trim().slice(-300)}`;
}

export function roles({ messages }: Card): string {
  return messages.map(({ role }) => role).join(" ");
}

/** Resolves to all that stdout said by the time it is enough; rejects when it ends before. */
export function heard(child: ChildProcess, isEnough: (stdout: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer | string) => {
      text += chunk.toString();
      if (isEnough(text)) resolve(text);
    });
    child.once("close", () => reject(new Error(`it ended before enough was heard: ${text.slice(-300)}`)));
  });
}

/** The text that a run with `--stream-json` has shown. */
export function shownText(stdout: string): string {
  const lines = stdout.split("\n").filter((line) => line.startsWith('{"type":"text"') && line.endsWith("}"));
  return lines.map((line) => (JSON.parse(line) as { delta: string }).delta).join("");
}
