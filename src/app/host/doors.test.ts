import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { createLogger } from "#base/log.js";
import { homePaths } from "#config/home.js";
import { freePort } from "../../../test/support/free-port.js";
import { createDoors, type Doors } from "./doors.js";

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface House {
  readonly doors: Doors;
  /** What the port answers to a platform; 0 when nobody listens there. */
  called(): Promise<number>;
  /** Whether the home's socket lets somebody in. */
  isOpen(): Promise<boolean>;
}

async function house(): Promise<House> {
  const folder = mkdtempSync("/tmp/th-");
  ends.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  const home = homePaths(folder);
  mkdirSync(home.run, { mode: 0o700 });
  const port = await freePort();
  const doors = createDoors({
    home,
    env: {},
    clock: systemClock,
    log: createLogger({ path: join(folder, "doors.log"), clock: systemClock }),
    port,
    accept: (wire) => wire.end("done"),
    health: () => ({ live: true, ready: false }),
    platforms: async () => ({ status: 200 }),
  });
  ends.push(() => doors.close());
  return {
    doors,
    called: () =>
      fetch(`http://127.0.0.1:${port}/platforms/a/`, { method: "POST" }).then(
        ({ status }) => status,
        () => 0,
      ),
    isOpen: () => letsIn(home.hostSocket),
  };
}

function letsIn(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

describe("the doors of a host", () => {
  it("[GW-18] [HO-7] that are shut let no client in, and platforms still call until they are closed", async () => {
    const { doors, called, isOpen } = await house();
    await doors.open();
    expect([await isOpen(), await called()]).toEqual([true, 200]);
    await doors.shut();
    expect([await isOpen(), await called()]).toEqual([false, 200]);
    await doors.close();
    expect([await isOpen(), await called()]).toEqual([false, 0]);
  });

  it("[HO-8] that are closed can be opened again, by the same port", async () => {
    const { doors, called, isOpen } = await house();
    await doors.open();
    await doors.close();
    await doors.open();
    expect([await isOpen(), await called()]).toEqual([true, 200]);
    expect(doors.notes()).toEqual([]);
  });

  it("[HO-7] that are shut or closed while they open do not stand open afterwards", async () => {
    const shut = await house();
    await Promise.all([shut.doors.open(), shut.doors.shut()]);
    expect([await shut.isOpen(), await shut.called()]).toEqual([false, 200]);
    const closed = await house();
    await Promise.all([closed.doors.open(), closed.doors.close()]);
    expect([await closed.isOpen(), await closed.called()]).toEqual([false, 0]);
  });
});
