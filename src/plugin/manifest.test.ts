import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readManifest } from "./manifest.js";
import { readShelf } from "./shelf.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "talaria-manifest-"));
  mkdirSync(join(root, "notes"));
  writeFileSync(join(root, "notes", "index.js"), "");
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }));

const write = (text: string | Buffer) => writeFileSync(join(root, "notes", "plugin.yaml"), text);
const read = () => readManifest(join(root, "notes"), "notes");
const problem = async (text: string | Buffer): Promise<string> => {
  write(text);
  const found = await read();
  return found.kind === "broken" ? found.problem : "none";
};

describe("a plugin's manifest", () => {
  it("[PL-2] needs a name only, and finds the module by its usual names", async () => {
    write("name: notes\n");
    const { manifest } = (await read()) as { manifest: unknown };
    expect(manifest).toMatchObject({
      name: "notes",
      version: "0.0.0",
      main: join(root, "notes", "index.js"),
      hooks: undefined,
    });
    writeFileSync(join(root, "notes", "index.ts"), "");
    expect(await read()).toMatchObject({ manifest: { main: join(root, "notes", "index.ts") } });
  });

  it("[PL-2] takes the keys it knows and names those it does not", async () => {
    write(
      "name: notes\nversion: 1.2\ndescription: d\nhooks: [post_tool_call]\ntools: [a]\nauthor: x\ntols: [b]\nenabled_by_default: false\n",
    );
    expect(await read()).toMatchObject({
      manifest: { version: "1.2", description: "d", hooks: ["post_tool_call"], tools: ["a"], unknown: ["tols"] },
    });
  });

  it.each([
    ["", "plugin.yaml holds no keys"],
    ["- a\n- b\n", "plugin.yaml holds no keys"],
    ["version: 1\n", "name: expected the plugin's name"],
    ["name: Notes\n", "name: expected a lower-case letter"],
    ["name: other\n", 'name: it is "other", but the folder is called "notes"'],
    ["name: notes\nhooks: post_tool_call\n", "hooks: expected a list of hook names"],
    ["name: notes\nhooks: [on_lunch]\n", "hooks: no hook is called on_lunch"],
    ["name: notes\ntools: [1]\n", "tools.0: expected a name"],
    ["name: notes\nenabled_by_default: true\n", "enabled_by_default: expected false: only a person enables a plugin"],
    ["name: notes\ndescription: 5\n", "description: expected one line of text"],
    ["name: notes\nmain: gone.js\n", "main: there is no file gone.js"],
    ["name: notes\nmain: ..\n", "main: .. leads out of the plugin's folder"],
    ["name: notes\nmain: .\n", "main: . leads out of the plugin's folder"],
    ["name: notes\nmain: plugin.yaml\n", "main: plugin.yaml is not a .ts"],
    ["name: [notes\n", "plugin.yaml is not YAML"],
    ["a: &a [x]\nb: *a\n", "plugin.yaml cannot be read"],
    [Buffer.alloc(70_000, "#"), "larger than 64000 bytes"],
  ])("[PL-2] says what is wrong with %j", async (text, words) => expect(await problem(text)).toContain(words));

  it("[PL-2] is a plain file, in a folder that may itself be a link", async () => {
    write("name: notes\n");
    symlinkSync(join(root, "notes"), join(root, "linked"));
    expect(await readManifest(join(root, "linked"), "notes")).toMatchObject({
      kind: "ok",
      manifest: { folder: join(root, "notes") },
    });
    symlinkSync("/dev/zero", join(root, "notes", "index.mjs"));
    expect(await problem("name: notes\nmain: index.mjs\n")).toContain("leads out");
  });
});

describe("the shelf", () => {
  it("[PL-2] shows every folder with its manifest or what is wrong, in order, and no file and no hidden folder", async () => {
    write("name: notes\n");
    for (const name of ["UPPER", "empty", ".storage"]) mkdirSync(join(root, name));
    writeFileSync(join(root, "state.json"), "{}");
    symlinkSync(join(root, "nowhere"), join(root, "dangling"));
    const { plugins, leftOut } = await readShelf(root);
    expect(plugins.map(({ name, found }) => [name, found.kind === "ok" ? "ok" : found.problem])).toEqual([
      ["UPPER", expect.stringContaining("the folder's name")],
      ["empty", "there is no plugin.yaml"],
      ["notes", "ok"],
    ]);
    expect(leftOut).toBe(0);
    expect(await readShelf(join(root, "none"))).toEqual({ plugins: [], leftOut: 0 });
  });
});
