/** Turns through the gateway's HTTP face: a signed request in, the answer as a request out, one chat or several at once. */
import { once } from "node:events";
import { Agent, createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { signatureOf } from "#platform/webhook/signature.js";
import type { Row } from "./report.js";

export const HTTP_SECRET = "a-secret-of-the-bench";
const ROUNDS_MS = 5_000;
const TURNS_PER_CHAT = 10;

export interface Answers {
  readonly url: string;
  /** Resolves with the next answer to the chat. */
  next(chat: string): Promise<void>;
  close(): Promise<void>;
}

/** Where answers are posted. */
export async function openAnswers(): Promise<Answers> {
  const waiting = new Map<string, () => void>();
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.end("{}");
      const { chat } = JSON.parse(Buffer.concat(chunks).toString()) as { chat: string };
      waiting.get(chat)?.();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/answers`,
    next: (chat) => new Promise((resolve) => waiting.set(chat, resolve)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export async function benchTurns(
  { port, answers }: { readonly port: number; readonly answers: Answers },
  emit: (row: Row) => void,
): Promise<void> {
  for (const [atOnce, least] of [
    [1, 100],
    [8, 200],
  ] as const) {
    await turnsFor(ROUNDS_MS / 5, { port, answers, atOnce });
    const perSecond = (await turnsFor(ROUNDS_MS, { port, answers, atOnce })) / (ROUNDS_MS / 1_000);
    emit({
      section: "gateway",
      work: `turns/s through the HTTP face, ${atOnce} at once`,
      ours: perSecond.toFixed(0),
      target: `≥ ${least}`,
      holds: perSecond >= least,
    });
  }
}

let events = 0;

async function turnsFor(
  forMs: number,
  { port, answers, atOnce }: { port: number; answers: Answers; atOnce: number },
): Promise<number> {
  const endMs = performance.now() + forMs;
  let turns = 0;
  const chats = Array.from({ length: atOnce }, async (_, at) => {
    for (let said = 0; performance.now() < endMs; said++) {
      // A conversation of some length, not one that grows for as long as this runs.
      const chat = `chat-${forMs}-${atOnce}-${at}-${Math.floor(said / TURNS_PER_CHAT)}`;
      const answered = answers.next(chat);
      await post(port, { id: `event-${++events}`, chat, user: "bench", text: "hello" });
      await answered;
      turns++;
    }
  });
  await Promise.all(chats);
  return turns;
}

/** Whoever calls keeps the connection: what is measured shares its two cores with this program. */
const agent = new Agent({ keepAlive: true });

function post(port: number, message: object): Promise<void> {
  const body = Buffer.from(JSON.stringify(message));
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = signatureOf({ timestamp, key: "", body }, HTTP_SECRET);
  const headers = { "x-talaria-timestamp": timestamp, "x-talaria-signature": signature, "content-length": body.length };
  return new Promise((resolve, reject) => {
    const to = { host: "127.0.0.1", port, path: "/platforms/webhook", method: "POST", headers, agent };
    const sent = request(to, (response) => {
      response.resume();
      response.once("end", () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`the gateway answered ${response.statusCode}`));
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
