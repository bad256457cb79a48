/**
 * Who signs what: HMAC-SHA256 over `timestamp.key.body`, in hexadecimal. The timestamp is part of it, or an old request could be
 * given a new one; so is the idempotency key, or a request could be made to count twice.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

export const SIGNATURE_HEADER = "x-talaria-signature";
export const TIMESTAMP_HEADER = "x-talaria-timestamp";
export const KEY_HEADER = "idempotency-key";
/** A request that is older, or from further ahead, is not believed. */
export const CLOCK_SKEW_MS = 5 * 60_000;

export interface Signed {
  /** In seconds, as it stands in the header. */
  readonly timestamp: string;
  /** As it stands in the header; empty when there is none. */
  readonly key: string;
  readonly body: Uint8Array;
}

export function signatureOf({ timestamp, key, body }: Signed, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(`${timestamp}.${key}.`).update(body).digest("hex")}`;
}

export function isSigned(signed: Signed, signature: string, secret: string): boolean {
  const right = Buffer.from(signatureOf(signed, secret));
  const given = Buffer.from(signature);
  // Equal lengths are what comparing in constant time asks for; the right length is no secret.
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Whether a signed request is of about now. */
export function isFresh(timestamp: string, nowMs: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1000 - nowMs) <= CLOCK_SKEW_MS;
}
