/** Bolt is large: what starts with the program does not have it. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { packageRoot } from "../../../src/base/package-root.js";

it("is read by nobody who does not open a Slack account", () => {
  const seen = new Set<string>();
  const walk = (file: string): void => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    const text = readFileSync(file, "utf8");
    expect(text.includes("SocketModeReceiver"), file).toBe(false);
    // Only what is imported at once: `import("…")` is read when it is reached.
    for (const [, from = ""] of text.matchAll(/^(?:import|export)\b[^;("']*["'](\.[^"']+)["'];?$/gm))
      walk(join(dirname(file), from));
    for (const [, from = ""] of text.matchAll(/^\} from ["'](\.[^"']+)["'];?$/gm)) walk(join(dirname(file), from));
  };
  walk(join(packageRoot(), "dist", "main.js"));
  expect(seen.size).toBeGreaterThan(1);
});
