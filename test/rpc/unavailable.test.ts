/** Every method without anything behind it, and frames that are no requests, on real lines. */
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { METHODS } from "#protocol/methods.js";
import { UNAVAILABLE, type Unavailable } from "#protocol/unavailable.js";
import { overEveryLine } from "./support/stage.js";

overEveryLine("what there is nothing behind", [{ text: "Hello." }], (scene) => {
  it("[PR-5] answers every one of the rest with its empty result or with `not available`", async () => {
    const { client, id } = await scene.session();
    for (const [method, told] of Object.entries(UNAVAILABLE) as [string, Unavailable][]) {
      const { result, error } = await client.ask(method, { session_id: id });
      expect([method, told.kind === "result" ? result : error]).toEqual([
        method,
        told.kind === "result" ? told.result : told.error,
      ]);
    }
  });

  it("[PR-5] answers every method it knows with an object or an error, whatever it is sent", async () => {
    const client = await scene.client();
    const odd = [{}, { session_id: 7 }, { session_id: "x", text: null }, { key: [], value: {} }];
    const left = Object.keys(METHODS).filter((name) => !["host.stop", "connection.bye", "process.stop"].includes(name));
    for (const method of left) {
      for (const params of odd) {
        const { result, error } = await client.ask(method, params);
        expect([method, (result ?? error) !== null && typeof (result ?? error)]).toEqual([method, "object"]);
        expect([method, error?.code]).not.toEqual([method, -32_000]);
      }
    }
    expect(await client.fails("no.such.method")).toMatchObject({ code: -32_601 });
  });

  it("[PR-1] answers what is no request, and goes on", async () => {
    const client = await scene.client();
    const end = scene.kind === "websocket" ? "" : "\n";
    for (const text of ["not json", "[]", '{"id":"x1"}', '{"id":"x2","method":"pet.cells","params":[]}']) {
      client.line.sendRaw(`${text}${end}`);
    }
    await client.until("four answers", () => client.answers.length === 4);
    expect(client.answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32_700],
      [null, -32_600],
      ["x1", -32_600],
      ["x2", -32_602],
    ]);
    expect(await client.call("pet.cells")).toEqual({ enabled: false });
  });

  it("[PR-2] echoes the ids it is given", async () => {
    const client = await scene.client();
    for (const id of [7, "", "r-\u{1F99D}", 1.5]) {
      client.line.send(JSON.stringify({ jsonrpc: "2.0", id, method: "pet.cells" }));
      expect(await client.answerTo(id)).toEqual({ jsonrpc: "2.0", id, result: { enabled: false } });
    }
  });

  it("[PR-37] answers a short question while a long one is under way", async () => {
    const client = await scene.client();
    const gate = join(scene.place.cwd, `gate-${scene.kind}`);
    // It waits until somebody writes, however long that takes.
    execFileSync("mkfifo", [gate]);
    const slow = client.call("shell.exec", { command: `cat ${gate}` });
    await client.call("pet.cells");
    expect(client.answers).toHaveLength(1);
    await writeFile(gate, "opened\n");
    expect(await slow).toMatchObject({ stdout: "opened\n" });
  });
});
