/** `talaria plugins new NAME`: a small plugin that works, with the types it is written against beside it. */
import { chmod, copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "#base/errors.js";
import { packageRoot } from "#base/package-root.js";
import { PLUGIN_NAME } from "#plugin/manifest.js";

/** The whole API as a type declaration, shipped with the guide. */
export const API_TYPES = join("docs", "guide", "plugin-api.d.ts");

/** Answers the folder. Made beside its place and moved there whole: half a plugin is never seen. */
export async function writeTemplate(pluginsDir: string, name: string): Promise<string> {
  if (!PLUGIN_NAME.test(name)) {
    throw new UserError(
      `${name} is no name for a plugin`,
      "a lower-case letter, then lower-case letters, digits and -",
      2,
    );
  }
  const folder = join(pluginsDir, name);
  const draft = join(pluginsDir, `.new-${name}-${process.pid}`);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  try {
    await writeFile(join(draft, "plugin.yaml"), manifestOf(name), { mode: 0o600 });
    await writeFile(join(draft, "index.ts"), codeOf(name), { mode: 0o600 });
    await copyFile(join(packageRoot(), API_TYPES), join(draft, "talaria.d.ts"));
    // A copy has its original's mode, and everything in a home is closed to others.
    await chmod(join(draft, "talaria.d.ts"), 0o600);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!TAKEN.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    throw new UserError(`there is a plugin ${name} already`, `choose another name, or look at it: ${folder}`);
  }
  return folder;
}

const TAKEN = ["ENOTEMPTY", "EEXIST", "ENOTDIR"];

function manifestOf(name: string): string {
  return `name: ${name}
version: 0.1.0
description: says what it is asked to say, and counts the tool calls
# Where a list is given, nothing else may be registered: it tells whoever enables the plugin what to expect.
hooks: [post_tool_call]
tools: [${name.replaceAll("-", "_")}_say]
commands: [${name}]
`;
}

function codeOf(name: string): string {
  return `import type { PluginApi } from "./talaria.js";

export function register(talaria: PluginApi): void {
  let calls = 0;

  // Told after every tool call; the answer is not used.
  talaria.on("post_tool_call", ({ payload }) => {
    calls++;
    talaria.log(\`tool call \${calls}: \${payload["toolName"]}\`);
  });

  // A tool for the model. read-only: it may be called again after a crash, and nobody is asked first.
  talaria.tool({
    name: "${name.replaceAll("-", "_")}_say",
    description: "Say a text back to the person, in capital letters.",
    input: {
      type: "object",
      properties: { text: { type: "string", description: "what to say" } },
      required: ["text"],
    },
    effect: "read-only",
    run: ({ text }) => String(text).toUpperCase(),
  });

  // A slash command for people: /${name}
  talaria.command({
    name: "${name}",
    summary: "how many tools were called since the start",
    run: () => \`\${calls} tool calls so far\`,
  });
}
`;
}
