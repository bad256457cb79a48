/** What many commands answer to `--help`, asked of the built program in one process: starting it once is enough. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageRoot } from "#base/package-root.js";
import { cleanEnv } from "./run.js";

export interface Help {
  readonly code: number;
  readonly stdout: string;
}

/** By command, in its words: `config set`. */
export function helpOf(commands: readonly string[], home: string): ReadonlyMap<string, Help> {
  const main = pathToFileURL(join(packageRoot(), "dist", "main.js")).href;
  const script = `
    const { main } = await import(${JSON.stringify(main)});
    const write = process.stdout.write.bind(process.stdout);
    const answers = [];
    for (const command of ${JSON.stringify(commands)}) {
      let stdout = "";
      process.stdout.write = (text) => { stdout += text; return true; };
      const code = await main([...command.split(" "), "--help"]);
      answers.push([command, { code, stdout }]);
    }
    write(JSON.stringify(answers));
    process.exitCode = 0;`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    env: cleanEnv(home),
  });
  return new Map(JSON.parse(stdout) as [string, Help][]);
}
