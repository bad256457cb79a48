import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REDACTED } from "#base/redact.js";
import { homePaths } from "#config/home.js";
import { inspectConfig } from "#config/load.js";
import { createSettings } from "./settings.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

describe("the settings as clients see them", () => {
  it("hold no key and no header's value, only the variables they come from", async () => {
    const home = homePaths(folder);
    const key = "$" + "{KEY_OF_MINE}";
    writeFileSync(home.config, `model:\n  api_key: "hunter1"\n  headers: { X-Team: hunter2, X-Key: "${key}" }\n`);
    const env = { KEY_OF_MINE: "hunter3" };
    const all = await createSettings(home, env, inspectConfig(home, env)).all();
    expect(all["model"]).toMatchObject({ api_key: REDACTED, headers: { "X-Team": REDACTED, "X-Key": key } });
    expect(JSON.stringify(all)).not.toContain("hunter");
  });
});
