/**
 * Gets a page from the web and from nowhere else. The name of a host is looked up once, every address it has is
 * checked, and the connection goes to the very address that was checked: a name that points elsewhere a moment later
 * changes nothing. Each redirect is a new request and is checked the same way [TC-48]. Size and time are bounded.
 */
import { promises as dns, type LookupAddress } from "node:dns";
import type { IncomingMessage, RequestOptions } from "node:http";
import { isIP } from "node:net";
import type { Readable } from "node:stream";
import { isPublicAddress } from "./address.js";

export const REDIRECTS_MAX = 5;
/** As read, after decompression: what is beyond is not read. */
export const PAGE_BYTES_MAX = 3_000_000;
export const FETCH_MS_MAX = 30_000;

export interface FetchSettings {
  /** Addresses that are reached although they are not public; none unless told. */
  readonly allow?: (address: string, port: number) => boolean;
  readonly lookup?: (host: string) => Promise<readonly LookupAddress[]>;
}

export interface FetchedPage {
  /** Where it was found in the end. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** There was more than is read. */
  readonly isCut: boolean;
}

export type FetchOutcome =
  | { readonly kind: "page"; readonly page: FetchedPage }
  /** In words for the model. */
  | { readonly kind: "failed"; readonly why: string };

export async function fetchPage(address: string, settings: FetchSettings, signal: AbortSignal): Promise<FetchOutcome> {
  let next = address;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const hop = await requestOnce(next, settings, signal);
    if (hop.kind !== "redirect") return hop;
    next = hop.to;
  }
  return failure(`it was redirected more than ${REDIRECTS_MAX} times`);
}

type Hop = FetchOutcome | { readonly kind: "redirect"; readonly to: string };

function failure(why: string): { readonly kind: "failed"; readonly why: string } {
  return { kind: "failed", why };
}

async function requestOnce(address: string, settings: FetchSettings, signal: AbortSignal): Promise<Hop> {
  const url = parseUrl(address);
  if (typeof url === "string") return failure(url);
  const found = await reachable(url, settings);
  if (typeof found === "string") return failure(found);
  try {
    const response = await send(url, found, signal);
    return await read(url, response);
  } catch (error) {
    return failure(reasonOf(error, url.host, signal));
  }
}

function parseUrl(address: string): URL | string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) return `${JSON.stringify(address.slice(0, 200))} is no address; begin with https://`;
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `${url.protocol} is not fetched, only http and https`;
  if (url.username !== "" || url.password !== "") return "an address with a name and password in it is not fetched";
  return url;
}

type Addresses = readonly [LookupAddress, ...LookupAddress[]];

/** The addresses to connect to, or why not. */
async function reachable(url: URL, { allow, lookup = lookUp }: FetchSettings): Promise<Addresses | string> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const family = isIP(host);
  let addresses: readonly LookupAddress[];
  try {
    addresses = family === 0 ? await lookup(host) : [{ address: host, family }];
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code !== "string") throw error;
    return `the host ${host} is not known`;
  }
  const [first, ...others] = addresses;
  if (first === undefined) return `the host ${host} is not known`;
  // One bad address among good ones is how a rebinding begins: then none of them is used.
  const bad = addresses.find(({ address }) => !isPublicAddress(address) && allow?.(address, port) !== true);
  return bad === undefined
    ? [first, ...others]
    : `${host} is a private or reserved address (${bad.address}), which is not fetched`;
}

function lookUp(host: string): Promise<LookupAddress[]> {
  return dns.lookup(host, { all: true, verbatim: true });
}

const HEADERS = {
  accept: "text/html,application/xhtml+xml,text/plain,application/json;q=0.9,*/*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
  "accept-language": "en,*;q=0.5",
  "user-agent": "Mozilla/5.0 (compatible; talaria)",
};

async function send(url: URL, addresses: Addresses, signal: AbortSignal): Promise<IncomingMessage> {
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const options: RequestOptions = {
    method: "GET",
    headers: HEADERS,
    signal,
    agent: false,
    lookup: (_host, { all }, answer) => {
      if (all) answer(null, [...addresses]);
      else answer(null, addresses[0].address, addresses[0].family);
    },
  };
  return new Promise((resolve, reject) => {
    request(url, options).on("response", resolve).on("error", reject).end();
  });
}

async function read(url: URL, response: IncomingMessage): Promise<Hop> {
  const status = response.statusCode ?? 0;
  const to = response.headers.location;
  if (status >= 300 && status < 400 && to !== undefined) {
    response.destroy();
    if (!URL.canParse(to, url.href)) return failure("it redirects to nowhere");
    return { kind: "redirect", to: new URL(to, url).href };
  }
  const contentType = response.headers["content-type"] ?? "";
  const { bytes, isCut } = await readBody(response);
  return { kind: "page", page: { url: url.href, status, contentType, bytes, isCut } };
}

async function readBody(response: IncomingMessage): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  const body = await decoded(response);
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > PAGE_BYTES_MAX) return { bytes: Buffer.concat(chunks).subarray(0, PAGE_BYTES_MAX), isCut: true };
    }
  } finally {
    response.destroy();
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

/** Decompressed piece by piece, so that a small body that unfolds into a huge one is cut like any other. */
async function decoded(response: IncomingMessage): Promise<Readable> {
  const { createBrotliDecompress, createGunzip, createInflate } = await import("node:zlib");
  const { pipeline } = await import("node:stream");
  const coding = response.headers["content-encoding"]?.trim().toLowerCase();
  const decoder =
    coding === "gzip" || coding === "x-gzip"
      ? createGunzip()
      : coding === "deflate"
        ? createInflate()
        : coding === "br"
          ? createBrotliDecompress()
          : undefined;
  if (decoder === undefined) return response;
  // What goes wrong reaches the reader of the decoder; the callback only keeps the error from having no listener.
  return pipeline(response, decoder, () => undefined);
}

function reasonOf(error: unknown, host: string, signal: AbortSignal): string {
  if (signal.aborted) return "it took too long or was interrupted";
  const { code, message } = error as NodeJS.ErrnoException;
  return `${host} did not answer as it should (${code ?? message})`;
}
