/**
 * A port for a program that takes no "any free one". It lies below those that the system gives to whoever asks for any,
 * so that nobody gets it between this look and the program's own.
 */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

const [FIRST, LAST] = [15_000, 32_000] as const;
const TRIES_MAX = 100;

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
  throw new Error("no free port was found");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
