import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { listModels } from "./list-models.js";
import { findLocalServers, LOCAL_PROBE_MS } from "./local-servers.js";
import type { ProviderName } from "./model.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const answer =
  (body: unknown, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

const options = { clock: systemClock };

describe("[MD-16] the list of models", () => {
  it.each<[ProviderName, unknown, unknown]>([
    ["openai", { object: "list", data: [{ id: "gpt-5" }, { id: "o3" }] }, [{ name: "gpt-5" }, { name: "o3" }]],
    ["openai-compatible", { data: [{ id: "qwen", max_model_len: 8192 }] }, [{ name: "qwen", windowTokens: 8192 }]],
    ["openrouter", { data: [{ id: "a/b", context_length: 5 }] }, [{ name: "a/b", windowTokens: 5 }]],
    ["anthropic", { data: [{ id: "claude-x", type: "model" }], has_more: false }, [{ name: "claude-x" }]],
    [
      "google",
      {
        models: [
          { name: "models/gemini-x", inputTokenLimit: 1000, supportedGenerationMethods: ["generateContent"] },
          { name: "models/embed", supportedGenerationMethods: ["embedContent"] },
        ],
      },
      [{ name: "gemini-x", windowTokens: 1000 }],
    ],
    ["ollama", { object: "list", data: [{ id: "llama3.1:8b", owned_by: "library" }] }, [{ name: "llama3.1:8b" }]],
    ["openai-compatible", { data: [{}, null, 5, { id: "" }] }, []],
  ])("of %s is read", async (provider, body, models) => {
    let headers: Readonly<Record<string, unknown>> = {};
    const port = await serve((request, response) => {
      headers = request.headers;
      answer(body)(request, response);
    });
    const list = await listModels({ provider, baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "key-1" }, options);
    expect(list).toEqual({ kind: "listed", models });
    expect(JSON.stringify(headers)).toContain("key-1");
  });

  it.each<[string, RequestListener, string]>([
    ["a wrong key", answer({ error: { message: "no" } }, 401), "unauthorised"],
    ["a page", answer("<html>hello</html>"), "malformed"],
    ["something else", answer({ hello: "world" }), "malformed"],
    [
      "a redirect, which would carry the key away",
      (_, response) => void response.writeHead(302, { location: "http://elsewhere.test/" }).end(),
      "malformed",
    ],
    ["a hang", () => {}, "stalled"],
    ["a body that never ends", (_, response) => void response.write("["), "stalled"],
    ["a socket that breaks", (request) => request.socket.destroy(), "cut"],
  ])("fails with a type for %s", async (_, listener, cause) => {
    const port = await serve(listener);
    const spec = { provider: "openai-compatible", baseUrl: `http://127.0.0.1:${port}/v1` } as const;
    const timeMs = cause === "stalled" ? 150 : 30_000;
    expect(await listModels(spec, { ...options, timeMs })).toMatchObject({ kind: "failed", failure: { cause } });
  });

  it("fails with a type when nobody listens, or no address is known", async () => {
    const port = await serve(() => {});
    servers.pop()?.close();
    await new Promise((resolve) => setImmediate(resolve));
    const spec = { provider: "openai-compatible", baseUrl: `http://127.0.0.1:${port}/v1` } as const;
    expect(await listModels(spec, options)).toMatchObject({ failure: { cause: "unreachable" } });
    expect(await listModels({ provider: "openai-compatible" }, options)).toMatchObject({
      failure: { cause: "unreachable" },
    });
  });
});

describe("[MD-16] local servers", () => {
  it("are found on their ports with what they offer; other programs and silence are not", async () => {
    const ollama = await serve(answer({ object: "list", data: [{ id: "llama3.1:8b", owned_by: "library" }] }));
    const llama = await serve(answer({ object: "list", data: [{ id: "model.gguf", owned_by: "llamacpp" }] }));
    const vllm = await serve(answer({ object: "list", data: [{ id: "qwen", owned_by: "vllm", max_model_len: 4096 }] }));
    const website = await serve(answer("<html></html>"));
    // The limit is over when the others have answered and it alone is left, however long that takes.
    const limits: (() => void)[] = [];
    const after = (_: number, act: () => void) => {
      limits.push(act);
      return () => undefined;
    };
    const clock = { ...systemClock, after };
    let answered = 0;
    const fetched: typeof fetch = async (...args) => {
      const response = await fetch(...args);
      if (++answered === 4) setImmediate(() => limits.at(-1)?.());
      return response;
    };
    const silent = await serve(() => {});
    const found = await findLocalServers({ clock, fetch: fetched }, [
      { kind: "ollama", port: ollama },
      { kind: "llama.cpp", port: website },
      { kind: "vllm", port: llama },
      { kind: "llama.cpp", port: vllm },
      { kind: "lm-studio", port: silent },
    ]);
    expect(found).toEqual([
      {
        kind: "ollama",
        provider: "ollama",
        baseUrl: `http://127.0.0.1:${ollama}/v1`,
        models: [{ name: "llama3.1:8b" }],
      },
      {
        kind: "llama.cpp",
        provider: "openai-compatible",
        baseUrl: `http://127.0.0.1:${llama}/v1`,
        models: [{ name: "model.gguf" }],
      },
      {
        kind: "vllm",
        provider: "openai-compatible",
        baseUrl: `http://127.0.0.1:${vllm}/v1`,
        models: [{ name: "qwen", windowTokens: 4096 }],
      },
    ]);
    expect(LOCAL_PROBE_MS).toBeLessThan(1_000);
  });
});
