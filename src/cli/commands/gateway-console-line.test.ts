import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { ConsoleLine, reachConsole, type Told, UNKEPT_MAX } from "./gateway-console-line.js";

interface Heard {
  readonly type: string;
  readonly id: string;
  readonly text?: string;
}

/** A gateway's console that comes and goes, and hears. */
class Side {
  readonly heard: Heard[] = [];
  #server: Server | undefined;
  #sockets: Socket[] = [];

  constructor(readonly path: string) {}

  open(): Promise<void> {
    this.#server = createServer((socket) => {
      this.#sockets.push(socket);
      let rest = "";
      socket.setEncoding("utf8").on("error", () => undefined);
      socket.on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.heard.push(JSON.parse(line) as Heard);
      });
    });
    return new Promise((resolve) => void this.#server?.listen(this.path, () => resolve()));
  }

  tell(told: Told): void {
    for (const socket of this.#sockets) socket.write(`${JSON.stringify(told)}\n`);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}

/** For what hangs, not for what is slow. */
const LIMIT_MS = 30_000;
const eventually = <T>(look: () => T) => expect.poll(look, { timeout: LIMIT_MS, interval: 5 });

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function connected() {
  const folder = await mkdtemp(join(tmpdir(), "tcl-"));
  const side = new Side(join(folder, "c.sock"));
  await side.open();
  const events = { gone: 0, back: [] as number[], heard: [] as Told[] };
  const line = new ConsoleLine(
    { path: side.path, seat: { who: "me", chat: "me" }, clock: systemClock },
    {
      heard: (told) => void events.heard.push(told),
      gone: () => void events.gone++,
      back: (said) => void events.back.push(said),
    },
  );
  line.take(await reachConsole(side.path));
  ends.push(
    () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }),
    () => side.close(),
    () => line.leave(),
  );
  const said = () => side.heard.filter(({ type }) => type === "say");
  return { line, side, events, said };
}

describe("the line to the console", { timeout: 2 * LIMIT_MS }, () => {
  it("says again under the same id what was not kept, when the gateway is back", async () => {
    const { line, side, events, said } = await connected();
    expect(line.say("one")).toBe("said");
    await eventually(said).toHaveLength(1);
    await side.close();
    await eventually(() => events.gone).toBe(1);
    expect(line.say("two")).toBe("waits");
    expect(line.press("token")).toBe(false);
    await side.open();
    await eventually(() => events.back).toEqual([2]);
    await eventually(said).toHaveLength(3);
    expect(said().map(({ text }) => text)).toEqual(["one", "one", "two"]);
    expect(said()[1]?.id).toBe(said()[0]?.id);
    for (const { id } of said().slice(1)) side.tell({ type: "kept", id });
    await eventually(() => line.unkept).toBe(0);
  });

  it("says that a message was shown, and forgets what was turned away", async () => {
    const { line, side, events } = await connected();
    line.say("one");
    await eventually(() => side.heard.length).toBe(2);
    side.tell({ type: "not-kept", id: side.heard[1]?.id ?? "", why: "the disk is full" });
    side.tell({ type: "message", id: "m1", text: "hello" });
    await eventually(() => events.heard.length).toBe(2);
    await eventually(() => side.heard.at(-1)).toEqual({ type: "shown", id: "m1" });
    expect(line.unkept).toBe(0);
  });

  it("takes no more than it can hold", async () => {
    const { line } = await connected();
    for (let at = 0; at < UNKEPT_MAX; at++) expect(line.say("x")).toBe("said");
    expect(line.say("one too many")).toBe("full");
    expect(line.unkept).toBe(UNKEPT_MAX);
  });
});
