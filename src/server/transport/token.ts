/**
 * The secret that a page or an editor shows before the host's WebSocket opens: 32 random bytes in hex, in a file that
 * only this person can read. It is made when it is missing or damaged, and it stays: a page that has it keeps it.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { replaceFile } from "#base/atomic-file.js";

const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^[0-9a-f]{64}$/;
/** The word before a token among the subprotocols: a browser can set no other header. */
const SUBPROTOCOL_PREFIX = "talaria.token.";
export const SUBPROTOCOL = "talaria";

export async function readOrMakeToken(path: string): Promise<string> {
  const found = readToken(path);
  if (found !== undefined) return found;
  const token = randomBytes(TOKEN_BYTES).toString("hex");
  await replaceFile(path, `${token}\n`, { mode: 0o600 });
  return token;
}

/** What others could have read is no secret: it counts as missing. */
function readToken(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o077) !== 0) return undefined;
  chmodSync(path, 0o600);
  const token = readFileSync(path, "utf8").trim();
  return TOKEN_PATTERN.test(token) ? token : undefined;
}

/** Takes the same time whatever was offered. */
export function isToken(offered: string, token: string): boolean {
  return timingSafeEqual(digest(offered), digest(token));
}

/** Where a token may stand in a request: `Authorization: Bearer`, a subprotocol, or `?token=`. */
export function offeredToken(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  query: URLSearchParams,
): string | undefined {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(String(headers["authorization"] ?? "")) ?? [];
  if (bearer !== undefined) return bearer;
  const protocols = String(headers["sec-websocket-protocol"] ?? "").split(/ *, */);
  const carrier = protocols.find((name) => name.startsWith(SUBPROTOCOL_PREFIX));
  return carrier?.slice(SUBPROTOCOL_PREFIX.length) ?? query.get("token") ?? undefined;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
