import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.js";
import { type ToolBench, toolBench } from "../../../test/support/tool-bench.js";
import type { ToolContext } from "../tool.js";
import { FETCH_MS_MAX, type FetchSettings, PAGE_BYTES_MAX, REDIRECTS_MAX } from "./fetch-page.js";
import { createWebFetch, FETCH_CHARS_DEFAULT } from "./web-fetch.js";

let bench: ToolBench;
let server: Server;
let port: number;
let asked: string[];
let answer: RequestListener;

beforeEach(async () => {
  bench = toolBench();
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Only this server counts as public. */
const here: FetchSettings = { allow: (address, at) => address === "127.0.0.1" && at === port };

function fetch(path: string, settings = here, given: Partial<ToolContext> & { max_chars?: number } = {}) {
  const { max_chars, ...context } = given;
  const url = path.startsWith("/") ? `http://127.0.0.1:${port}${path}` : path;
  return bench.run(createWebFetch(settings), { url, ...(max_chars && { max_chars }) }, context);
}

function serve(type: string, body: string | Uint8Array, status = 200): void {
  answer = (_, response) => response.writeHead(status, { "content-type": type }).end(body);
}

const paragraph = "It is a truth universally acknowledged that a page has a few sentences, each of them long enough. ";

describe("web_fetch", () => {
  it("answers what is worth reading of a page, as Markdown", async () => {
    serve(
      "text/html; charset=utf-8",
      `<html><head><title>A page</title><script>alert("no")</script></head><body>
        <nav><a href="/home">Home</a><a href="/x">Else</a></nav>
        <article><h1>The heading</h1><p>${paragraph.repeat(5)}<a href="next">Go on</a>.</p><p>${paragraph.repeat(5)}</p>
        <ul><li>one</li><li>two</li></ul><pre><code>x = 1</code></pre></article>
        <footer>Imprint</footer></body></html>`,
    );
    const { kind, text, body } = await fetch("/dir/page");
    expect(kind).toBe("ok");
    expect(text).toContain(`[http://127.0.0.1:${port}/dir/page: A page]`);
    expect(text).toContain("It is a truth universally acknowledged");
    expect(text).toContain(`[Go on](http://127.0.0.1:${port}/dir/next)`);
    expect(text).toMatch(/^- +one$/m);
    expect(text).toContain("x = 1");
    expect(text).not.toContain("alert");
    expect(text).not.toContain("Imprint");
    expect(body).toMatchObject({ status: 200 });
  });

  it("takes a page that is no article as a whole", async () => {
    serve("text/html", "<p>Short.</p><p>And &amp; sweet.</p>");
    expect((await fetch("/")).text).toBe(`[http://127.0.0.1:${port}/]\nShort.\n\nAnd & sweet.`);
  });

  it.each([
    ["text/plain", "  plain <b> text\n"],
    ["application/json", '{"a": [1, 2]}'],
    ["application/ld+json; charset=utf-8", "{}"],
    ["text/markdown", "# x"],
  ])("passes %s as it is", async (type, content) => {
    serve(type, content);
    expect((await fetch("/")).text).toBe(`[http://127.0.0.1:${port}/]\n${content}`);
  });

  it("reads other charsets, told by the header or in the page", async () => {
    serve("text/plain; charset=iso-8859-1", Buffer.from("größe", "latin1"));
    expect((await fetch("/")).text).toContain("größe");
    serve("text/html", Buffer.from('<meta charset="windows-1252"><p>größe</p>', "latin1"));
    expect((await fetch("/")).text).toContain("größe");
    serve("text/plain; charset=nobody-knows", "plain");
    expect((await fetch("/")).text).toContain("plain");
  });

  it.each([
    ["image/png", "x"],
    ["application/pdf", "%PDF"],
    ["application/octet-stream", "a\0b"],
  ])("refuses %s", async (type, content) => {
    serve(type, content);
    expect(await fetch("/")).toMatchObject({ kind: "error", text: expect.stringContaining(`is no text (${type}`) });
  });

  it("says what the server said when it refused", async () => {
    serve("text/plain", "no such thing", 404);
    const result = await fetch("/");
    expect(result.kind).toBe("error");
    expect(result.text).toContain("The server answered 404");
    expect(result.text).toContain("no such thing");
  });

  it("cuts a long text where it was asked to, and says so", async () => {
    serve("text/plain", "x".repeat(FETCH_CHARS_DEFAULT + 7));
    expect((await fetch("/")).text).toContain("(cut: 7 more characters");
    expect((await fetch("/", here, { max_chars: 100 })).text).toContain(`\n${"x".repeat(100)}\n(cut:`);
  });

  it("reads no more than its bound, also of what unfolds", async () => {
    const huge = Buffer.alloc(PAGE_BYTES_MAX * 4, "y");
    answer = (_, response) =>
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(gzipSync(huge));
    const { text, body } = await fetch("/");
    expect(text).toContain("its end is missing");
    expect(body).toMatchObject({ chars: PAGE_BYTES_MAX });
  });

  it("ends a body that never ends", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, "z")));
        response.once("drain", pour);
      };
      pour();
    };
    expect((await fetch("/")).text).toContain("its end is missing");
  });

  it("follows redirects, relative ones too, a bounded number of times", async () => {
    answer = (request, response) => {
      if (request.url === "/to") response.writeHead(200, { "content-type": "text/plain" }).end("arrived");
      else response.writeHead(302, { location: request.url === "/from" ? "to" : "/again" }).end();
    };
    expect((await fetch("/from")).text).toBe(`[http://127.0.0.1:${port}/to]\narrived`);
    expect((await fetch("/again")).text).toContain(`more than ${REDIRECTS_MAX} times`);
    expect(asked.filter((path) => path === "/again")).toHaveLength(REDIRECTS_MAX + 1);
  });

  it("ends at its time limit and by its signal", async () => {
    answer = () => undefined;
    const clock = new ManualClock();
    const waiting = fetch("/", here, { clock });
    await expect.poll(() => asked).toHaveLength(1);
    clock.advance(FETCH_MS_MAX);
    expect((await waiting).text).toContain("took too long");
    expect((await fetch("/", here, { signal: AbortSignal.abort() })).text).toContain("interrupted");
  });

  it("survives a page nested beyond reason", async () => {
    serve("text/html", `${"<div>".repeat(60_000)}deep words`);
    expect((await fetch("/")).text).toContain("deep words");
  });

  it("says so when nobody answers or the answer is broken", async () => {
    answer = (request) => request.socket.destroy();
    expect(await fetch("/")).toMatchObject({ kind: "error", text: expect.stringContaining("did not answer") });
    answer = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip");
    expect(await fetch("/")).toMatchObject({ kind: "error", text: expect.stringContaining("did not answer") });
  });
});

describe("what web_fetch refuses", () => {
  it.each([
    "http://127.0.0.1/",
    "http://localhost/",
    "http://[::1]/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://0.0.0.0/",
  ])("[TC-48] does not fetch %s", async (url) => {
    expect(await fetch(url, {})).toMatchObject({
      kind: "error",
      text: expect.stringContaining("private or reserved address"),
    });
  });

  it.each([
    ["file:///etc/passwd", "only http and https"],
    ["ftp://example.com/", "only http and https"],
    ["example.com", "is no address"],
    ["http://me:secret@example.com/", "name and password"],
  ])("does not fetch %s", async (url, why) => {
    expect(await fetch(url, {})).toMatchObject({ kind: "error", text: expect.stringContaining(why) });
  });

  it("[TC-48] checks each redirect", async () => {
    answer = (_, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    expect((await fetch("/")).text).toContain("169.254.169.254), which is not fetched");
  });

  it("[TC-48] refuses a name when any of its addresses is private", async () => {
    const lookup = async () => [
      { address: "93.184.215.14", family: 4 },
      { address: "10.0.0.1", family: 4 },
    ];
    expect((await fetch("http://mixed.example/", { lookup })).text).toContain("mixed.example is a private");
  });

  it("[TC-48] connects to the address that was checked, whatever the name says next", async () => {
    serve("text/plain", "the checked one");
    let lookups = 0;
    const lookup = async () => [{ address: lookups++ === 0 ? "127.0.0.1" : "10.0.0.1", family: 4 }];
    const { text } = await fetch(`http://rebinding.example:${port}/`, { ...here, lookup });
    expect(text).toContain("the checked one");
    expect(lookups).toBe(1);
  });

  it("says that a host is not known", async () => {
    const lookup = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    expect((await fetch("http://nowhere.example/", { lookup })).text).toContain("is not known");
  });
});
