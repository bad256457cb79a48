/** A plugin's platform in a real plugin host: the gateway's port, kept by calls into another process. */
import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "#base/clock.js";
import { createLogger } from "#base/log.js";
import type { Incoming, Outgoing, Platform, PlatformKind } from "#platform/platform.js";
import { type PluginHome, pluginHome } from "./support/plugin-home.js";

let home: PluginHome;
let box: string;
beforeEach(() => {
  home = pluginHome();
  box = join(home.path, "box");
  for (const folder of ["in", "out"]) mkdirSync(join(box, folder), { recursive: true });
  home.add("drop", PLUGIN);
});
afterEach(() => home.remove());

/** A letter box: what lies in `in/` was said, and is taken away once it is stored; what is sent is put into `out/`. */
const PLUGIN = `
import fs from "node:fs";
import { join } from "node:path";
export function register(talaria: any): void {
  talaria.platform({
    name: "letterbox",
    textCharsMax: 500,
    chatEveryMs: 0,
    open(settings: any) {
      const { box } = settings;
      if (typeof box !== "string") throw new Error("box is missing");
      const take = (stored: readonly string[]) => { for (const id of stored) fs.rmSync(join(box, "in", id), { force: true }); };
      return {
        async receive(stored: readonly string[], signal: AbortSignal) {
          take(stored);
          for (let waited = 0; waited < 200 && !signal.aborted; waited++) {
            const names = fs.readdirSync(join(box, "in")).sort();
            if (names.includes("break")) { fs.rmSync(join(box, "in", "break")); process.kill(process.pid, "SIGKILL"); }
            if (names.includes("nonsense")) { fs.rmSync(join(box, "in", "nonsense")); return [{ hello: 1 }]; }
            if (names.length > 0) return names.map((name) => ({ eventId: name, chat: { type: "dm", id: "a" }, sender: { id: "ada" }, text: fs.readFileSync(join(box, "in", name), "utf8") }));
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
          return [];
        },
        send({ id, text }: any) {
          if (text === "throw") throw new Error("no idea");
          if (text === "busy") return { kind: "retry", afterMs: 1234, why: "later" };
          if (text === "odd") return "well";
          fs.writeFileSync(join(box, "out", id), text);
          return { kind: "sent", receipt: id };
        },
        edit(receipt: string, { text }: any) { fs.writeFileSync(join(box, "out", receipt), text); return { kind: "sent", receipt }; },
        find({ id }: any) { return fs.existsSync(join(box, "out", id)) ? id : null; },
        close: take,
      };
    },
  });
}`;

interface Line {
  readonly platform: Platform;
  readonly heard: Incoming[];
  readonly run: Promise<void>;
  stop(): void;
}

async function kindOf(): Promise<PlatformKind> {
  const plugins = await home.open();
  const kind = plugins.kinds.find(({ name }) => name === "letterbox");
  if (kind === undefined) throw new Error(JSON.stringify(plugins.failures()));
  return kind;
}

async function open(
  kind: PlatformKind,
  keeps: (incoming: Incoming) => Promise<void> = async () => undefined,
): Promise<Line> {
  const heard: Incoming[] = [];
  const platform = await kind.open(kind.settings.parse({ box }), {
    account: "main",
    clock: systemClock,
    log: createLogger({ path: join(home.path, "platform.log"), clock: systemClock }),
    receiver: {
      message: async (incoming) => {
        heard.push(incoming);
        await keeps(incoming);
      },
      press: async () => "",
      up: () => undefined,
      down: () => undefined,
    },
    cursors: async () => new Map(),
  });
  const stop = new AbortController();
  const run = platform.run(stop.signal);
  run.catch(() => undefined);
  return { platform, heard, run, stop: () => stop.abort(new Error("over")) };
}

const outgoing = (text: string): Outgoing => ({ id: `id-${text}`, place: { chat: { type: "dm", id: "a" } }, text });
const never = new AbortController().signal;
/** Whole at once: the plugin looks all the time. */
const say = (name: string, text = name): void => {
  writeFileSync(join(box, name), text);
  renameSync(join(box, name), join(box, "in", name));
};
const waiting = (): string[] => readdirSync(join(box, "in"));

describe("a platform of a plugin", () => {
  it("[PL-12] [CT-1] has a message acknowledged when it is stored, and not before", async () => {
    let isKept = false;
    const line = await open(await kindOf(), async () => {
      if (!isKept) throw new Error("the disk is full");
    });
    say("one", "hello");
    await vi.waitFor(() => expect(line.heard.length).toBeGreaterThanOrEqual(2), { timeout: 30_000 });
    expect(waiting()).toEqual(["one"]);
    isKept = true;
    await vi.waitFor(() => expect(waiting()).toEqual([]), { timeout: 30_000 });
    expect(line.heard.at(-1)).toMatchObject({
      eventId: "one",
      text: "hello",
      isAddressed: true,
      sender: { id: "ada" },
    });
    line.stop();
    await line.run;
  });

  it("[PL-12] [CT-4] tells what became of a send; what throws or answers nonsense has lost sight of it", async () => {
    const line = await open(await kindOf());
    const send = (text: string) => line.platform.send(outgoing(text), never);
    expect(await send("hello")).toEqual({ kind: "sent", receipt: "id-hello" });
    expect(await send("busy")).toEqual({ kind: "retry", afterMs: 1234, why: "later" });
    expect(await send("throw")).toMatchObject({ kind: "unknown", why: expect.stringContaining("no idea") });
    expect(await send("odd")).toMatchObject({ kind: "unknown" });
    expect(await line.platform.edit?.(outgoing("x").place, "id-hello", outgoing("bye"), never)).toMatchObject({
      kind: "sent",
    });
    expect(await line.platform.findSent?.(outgoing("hello"), 0, never)).toEqual({ kind: "found", receipt: "id-hello" });
    expect(await line.platform.findSent?.(outgoing("lost"), 0, never)).toEqual({ kind: "absent" });
    line.stop();
    await line.run;
  });

  it("[PL-12] is a lost line when the plugin host dies, and can be opened again", async () => {
    const kind = await kindOf();
    const line = await open(kind);
    say("break");
    await expect(line.run).rejects.toThrow(/drop/);
    say("after", "still there");
    // Until the plugin host is there again nothing can be opened.
    const again = await vi.waitFor(() => open(kind), { timeout: 30_000 });
    await vi.waitFor(() => expect(again.heard).toMatchObject([{ text: "still there" }]), { timeout: 30_000 });
    again.stop();
    await again.run;
    expect(waiting()).toEqual([]);
  });

  it("[PL-12] says what cannot be used, in words", async () => {
    const kind = await kindOf();
    const line = await open(kind);
    say("nonsense");
    await expect(line.run).rejects.toThrow(/cannot be used/);
    const parts = {
      account: "other",
      clock: systemClock,
      log: undefined as never,
      receiver: undefined as never,
      cursors: async () => new Map(),
    };
    await expect(kind.open({}, parts)).rejects.toThrow(/box is missing/);
  });
});
