/** Two ends of one real Unix socket, in a folder of its own. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SocketPair {
  readonly near: Socket;
  readonly far: Socket;
  close(): void;
}

export async function socketPair(): Promise<SocketPair> {
  const folder = mkdtempSync(join(tmpdir(), "pair-"));
  const server = createServer({ pauseOnConnect: true });
  server.listen(join(folder, "s"));
  await once(server, "listening");
  const far = connect(join(folder, "s"));
  const [near] = (await once(server, "connection")) as [Socket];
  server.close();
  far.on("error", () => undefined);
  return {
    near,
    far,
    close() {
      near.destroy();
      far.destroy();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** Lets everything that is due on the event loop happen, until `isDone`; fails when it never is. */
export async function until(isDone: () => boolean, what: string, timeoutMs = 45_000): Promise<void> {
  const giveUp = performance.now() + timeoutMs;
  while (!isDone()) {
    if (performance.now() > giveUp) throw new Error(`it never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Whole lines that arrived at an end of a pair. */
export function linesAt(socket: Socket): string[] {
  const lines: string[] = [];
  let rest = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  return lines;
}
