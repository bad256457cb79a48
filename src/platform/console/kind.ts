/**
 * The console as a platform: chats over a Unix socket of this machine, for trying everything without an account. It
 * stands where a messaging service stands and passes the same suite; it proves nothing about the others.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { PlatformKind } from "../platform.js";

const settings = z.strictObject({
  /** Where it listens; `run/console.sock` in the home unless said otherwise. */
  socket: z.string().min(1, "expected the path of a socket").optional(),
  /** What it is called in groups: `@talaria` there is said to us. */
  name: z.string().min(1).max(64).default("talaria"),
});

export type ConsoleSettings = z.output<typeof settings>;

export const console: PlatformKind<ConsoleSettings> = {
  name: "console",
  title: "Console",
  settings,
  secrets: [],
  limits: {
    text: 16_000,
    unit: "utf16",
    chatEveryMs: 0,
    perSecond: 1000,
    editEveryMs: 200,
    mediaIn: 0,
    mediaOut: 0,
    hasLines: true,
  },
  open: async ({ socket, name }, parts) => {
    const { openConsole } = await import("./account.js");
    return openConsole({ socket: socket ?? defaultSocket(process.env), name }, parts);
  },
};

/** Of the person's own home, for a configuration that names none. */
function defaultSocket(env: NodeJS.ProcessEnv): string {
  const named = env["TALARIA_HOME"];
  return join(named === undefined || named === "" ? join(homedir(), ".talaria") : named, "run", "console.sock");
}
