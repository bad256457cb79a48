/** What a host asks of V8 and of the C library, for the memory that it keeps for as long as it lives. */
import { setFlagsFromString } from "node:v8";

/**
 * A host waits most of its life and makes little garbage at a time: a small nursery and one helper thread are enough, and
 * it collects by itself when it rests (`spare-memory.ts`). Every Node from 20 on knows these, so they may stand in a file
 * that outlives an update of Node.
 */
export const LASTING_FLAGS: readonly string[] = ["--max-semi-space-size=1", "--v8-pool-size=1", "--expose-gc"];

/** Node 20's budget is known by this name and number; one that a Node does not know would keep it from starting. */
const HAS_BUDGET = /^20\./.test(process.versions.node);
const BUDGET_OF_NODE_20 = 132 * 1024;
const BUDGET_AT_START = 1_000_000;

/** Code that runs once, at the start, is not worth its compiled form: some 6 MB less until somebody comes. */
export const HOST_FLAGS: readonly string[] = [
  ...LASTING_FLAGS,
  "--no-sparkplug",
  ...(HAS_BUDGET ? [`--interrupt-budget=${BUDGET_AT_START}`] : []),
];

/** The start is over: from here on what runs often is compiled as early as Node does it by itself. */
export function compileWhatIsHot(): void {
  if (HAS_BUDGET) setFlagsFromString(`--interrupt-budget=${BUDGET_OF_NODE_20}`);
}

/**
 * Few pools for the threads' memory, and what is free at the end of one goes back at once: some 15 MB after a load. The C
 * library reads it when a process starts and never again.
 */
export const HOST_VARIABLES: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/** They are a host's own: what it runs for people is to find the environment that they gave it. */
export function forgetHostVariables(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(HOST_VARIABLES)) if (env[name] === value) delete env[name];
}
