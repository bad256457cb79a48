/** The generic webhook as tests of the gateway use it: somebody who posts once and never again, and takes the answers. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { postTo, SECRET } from "../../platform/webhook/peer.js";
import { freePort } from "../../support/free-port.js";

export interface WebhookSide {
  /** Of the host; goes into `host.port`. */
  readonly port: number;
  /** For `platforms.webhook`: everybody may speak. */
  readonly settings: object;
  /** The status it was answered with; `refused` when nobody listened. */
  post(chat: string, text: string, id: string): Promise<number | "refused">;
  /** What the chat was sent, oldest first, each key once. */
  shown(chat: string): readonly string[];
  stop(): Promise<void>;
}

interface Answer {
  readonly id: string;
  readonly chat: string;
  readonly text: string;
}

export async function openWebhookSide(): Promise<WebhookSide> {
  const port = await freePort();
  const answers = new Map<string, Answer>();
  const out = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = JSON.parse(Buffer.concat(chunks).toString()) as Answer;
    answers.set(answer.id, answer);
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => void out.listen(0, "127.0.0.1", resolve));
  return {
    port,
    settings: { secret: SECRET, out_url: urlOf(out), allow: ["*"] },
    async post(chat, text, id) {
      try {
        const body = JSON.stringify({ id, chat, user: chat, text });
        return (await postTo(`http://127.0.0.1:${port}/platforms/webhook`, body)).status;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") return "refused";
        throw error;
      }
    },
    shown: (chat) => [...answers.values()].filter((one) => one.chat === chat).map(({ text }) => text),
    stop: () =>
      new Promise((resolve) => {
        out.close(() => resolve());
        out.closeAllConnections();
      }),
  };
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/answers`;
}
