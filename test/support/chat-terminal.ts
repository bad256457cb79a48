/** Chats in a terminal for one test file: a model for all of it, and for each test a home of its own with its terminal. */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type ChatHome, chatHome, type ModelProcess, modelProcess } from "../cli/support/chat.js";
import { openTerminal, type Terminal } from "../cli/support/pty.js";
import { LINGER } from "./hosts.js";
import type { RuledReply } from "./model-server/reply.js";

export interface ChatTerminal {
  /** Holds what the script holds, anew for each test. */
  readonly model: ModelProcess;
  readonly home: ChatHome;
  /** Ended with the test. */
  open(args?: readonly string[], env?: NodeJS.ProcessEnv): Terminal;
}

export function chatTerminal(script: readonly RuledReply[]): ChatTerminal {
  let model: ModelProcess;
  let home: ChatHome;
  const opened: Terminal[] = [];
  beforeAll(async () => {
    model = await modelProcess(script);
  });
  afterAll(() => model.stop());
  beforeEach(async () => {
    await model.hold();
    home = chatHome(model.env);
  });
  afterEach(async () => {
    for (const terminal of opened.splice(0)) terminal.kill();
    await home.remove();
  });
  return {
    get model() {
      return model;
    },
    get home() {
      return home;
    },
    open(args = [], more = {}) {
      const env = { ...LINGER, ...home.faults.env, ...model.env, ...more };
      const terminal = openTerminal(args, { home: home.path, cwd: home.cwd, env });
      opened.push(terminal);
      return terminal;
    },
  };
}
