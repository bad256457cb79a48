/** A page of the web that a person named in a prompt, by the same guarded way as the `web_fetch` tool [TC-48]. */
import { type FetchSettings, fetchPage } from "#tool/web/fetch-page.js";
import { readable } from "#tool/web/readable.js";
import type { LocalText } from "./read-local.js";

export const PAGE_CHARS_MAX = 50_000;

export type ReadPage = (url: string, signal: AbortSignal) => Promise<LocalText>;

export function createReadPage(settings: FetchSettings = {}): ReadPage {
  return async (url, signal) => {
    const outcome = await fetchPage(url, settings, signal);
    if (outcome.kind === "failed") return outcome;
    const { page } = outcome;
    if (page.status >= 400) return { kind: "failed", why: `the server answered ${page.status}` };
    const read = await readable(page);
    if (read.kind === "binary") return { kind: "failed", why: "it is no text" };
    const isCut = read.isCut || read.text.length > PAGE_CHARS_MAX;
    const text = read.text.slice(0, PAGE_CHARS_MAX).toWellFormed();
    return { kind: "text", text, ...(isCut ? { note: "only its beginning" } : {}) };
  };
}
