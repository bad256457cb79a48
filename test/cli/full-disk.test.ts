/** A disk without a byte left takes the words; the exit code stays. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { reachHost } from "#client/start-host.js";
import { cleanEnv, launcher, type TempHome, tempHome } from "./support/run.js";

let home: TempHome;
beforeAll(() => {
  home = tempHome();
});
afterAll(() => home.remove());

describe("a command whose words cannot be written", () => {
  it.skipIf(!existsSync("/dev/full"))("ends with the code of its failure", async () => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [launcher, "config", "get", "no.such.key"], {
      env: cleanEnv(home.path),
      stdio: ["ignore", "ignore", full],
    });
    closeSync(full);
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code).toBe(2);
  });

  it("[HO-2] makes a client say that the disk is full, when that is how a host ended without a word", async () => {
    const place = { socketPath: `${home.path}/no.sock`, logPath: `${home.path}/talaria.log`, homePath: home.path };
    const command = [process.execPath, "-e", "process.exit(5)"] as const;
    const wish = { place, command, env: process.env, clock: systemClock, client: "test", version: "0" };
    await expect(reachHost({ ...wish, command: [...command] })).rejects.toMatchObject({
      code: "disk-full",
      message: expect.stringContaining("the disk is full"),
    });
  });
});
