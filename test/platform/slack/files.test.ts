/** Files in and out: who sees our token, what is fetched, and what becomes of an upload that fails half-way. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Outgoing } from "../../../src/platform/platform.js";
import { onSlack } from "./support.js";

const signal = (): AbortSignal => AbortSignal.timeout(30_000);

describe("a file that comes in", () => {
  it("is fetched with our token from Slack, and from nobody else", async () => {
    const seen: (string | undefined)[] = [];
    const stranger = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end("x");
    });
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/f`;
    await onSlack({}, async ({ fake, receiver }) => {
      const files = [{ id: "F1", name: "x", mimetype: "image/png", url_private_download: url }];
      const event = {
        type: "message",
        channel: "D0ALICE",
        user: "U0ALICE",
        text: "look",
        ts: fake.world.nextTs(),
        files,
      };
      fake.lines.give("events_api", fake.eventBody(event));
      const [media] = (await receiver.hears("look")).media ?? [];
      await expect(media?.fetch(signal())).rejects.toThrow(/could not be fetched/);
      expect(seen).toEqual([]);
    });
    await new Promise((resolve) => stranger.close(resolve));
  });

  it("is told from Slack's login page", () =>
    onSlack({}, async ({ fake, receiver }) => {
      const file = { name: "p.png", mediaType: "image/png", bytes: Buffer.from("bytes") };
      fake.say({ text: "look", file });
      const [media] = (await receiver.hears("look")).media ?? [];
      for (const stored of fake.world.files.values()) stored.mimetype = "text/html";
      await expect(media?.fetch(signal())).rejects.toThrow(/files:read/);
    }));

  it("is heard also without words", () =>
    onSlack({}, async ({ fake, receiver }) => {
      fake.say({ text: "", file: { name: "p.png", mediaType: "image/png", bytes: Buffer.from("bytes") } });
      expect((await receiver.hears("")).media).toMatchObject([{ name: "p.png", bytes: 5 }]);
    }));
});

describe("a file that goes out", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "slack-"));
    await writeFile(join(folder, "a.txt"), "contents");
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));

  const report = (id: string, text: string): Outgoing => ({
    id,
    place: { chat: { type: "dm", id: "D0ALICE" } },
    text,
    media: { path: join(folder, "a.txt"), name: "a.txt", mediaType: "text/plain" },
  });

  it.each(["files.getUploadURLExternal"])("is tried again when %s fails: nobody has seen anything", (method) =>
    onSlack({ isStarted: false }, async ({ fake, platform }) => {
      fake.fail({ kind: "server-error" }, 1, method);
      expect(await platform.send(report("one", "the report"), signal())).toMatchObject({ kind: "retry" });
      fake.fail({ kind: "rate-limited", afterMs: 9_000 }, 1, method);
      expect(await platform.send(report("one", "the report"), signal())).toMatchObject({
        kind: "retry",
        afterMs: 9_000,
      });
      expect(fake.shown("D0ALICE")).toEqual([]);
    }),
  );

  it("[CT-4] is found again when the last answer was lost, and not taken for an earlier one", () =>
    onSlack({ isStarted: false }, async ({ fake, platform }) => {
      const sinceMs = Date.now();
      const first = report("one", "the **report** of https://a.example/x");
      expect(await platform.send(first, signal())).toMatchObject({ kind: "sent" });
      const second = { ...first, id: "two" };
      expect(await platform.findSent?.(second, sinceMs, signal())).toEqual({ kind: "absent" });
      fake.fail({ kind: "cut-after" });
      expect(await platform.send(second, signal())).toMatchObject({ kind: "unknown" });
      expect(await platform.findSent?.(second, sinceMs, signal())).toMatchObject({ kind: "found" });
      expect(await platform.findSent?.(report("three", "another"), sinceMs, signal())).toEqual({ kind: "absent" });
    }));

  it("is refused when it is empty or gone, and cannot be edited", () =>
    onSlack({ isStarted: false }, async ({ platform }) => {
      await writeFile(join(folder, "a.txt"), "");
      expect(await platform.send(report("one", ""), signal())).toMatchObject({
        kind: "refused",
        why: expect.stringContaining("empty"),
      });
      await rm(join(folder, "a.txt"));
      expect(await platform.send(report("one", ""), signal())).toMatchObject({ kind: "refused" });
      expect(await platform.edit?.(report("one", "").place, "F00000001", report("one", "x"), signal())).toMatchObject({
        kind: "refused",
      });
    }));
});
