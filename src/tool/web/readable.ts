/** Makes text of what came from the web: pages become Markdown of what is worth reading, plain text stays as it is. */
import { invariant } from "#base/errors.js";
import { timeBox } from "../time-box.js";
import type { FetchedPage } from "./fetch-page.js";

/** More elements than this are not weighed against each other; the page is then taken as it is. */
const ELEMENTS_MAX = 30_000;
/** Longer pages are cut before they are taken apart: that time is everybody's. */
export const HTML_CHARS_MAX = 1_000_000;

export type ReadableText =
  | { readonly kind: "text"; readonly title: string | undefined; readonly text: string; readonly isCut: boolean }
  | { readonly kind: "binary"; readonly type: string };

export async function readable({ bytes, contentType, url, isCut }: FetchedPage): Promise<ReadableText> {
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  const form = formOf(type, bytes);
  if (form === "binary") return { kind: "binary", type: type === "" ? "unknown" : type };
  const text = decode(bytes, contentType, form);
  if (form === "text") return { kind: "text", title: undefined, text, isCut };
  const page = await extract(text.slice(0, HTML_CHARS_MAX), url);
  return { kind: "text", ...page, isCut: isCut || text.length > HTML_CHARS_MAX };
}

function formOf(type: string, bytes: Uint8Array): "html" | "text" | "binary" {
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(type)) return "html";
  if (TEXTUAL.test(type)) return "text";
  if (type !== "" && type !== "application/octet-stream") return "binary";
  const head = bytes.subarray(0, 1_024);
  if (head.includes(0)) return "binary";
  return /^\s*<(?:!doctype html|html)\b/i.test(Buffer.from(head).toString("latin1")) ? "html" : "text";
}

const TEXTUAL =
  /^(?:text\/.+|application\/(?:json|xml|javascript|x-javascript|ecmascript|yaml|x-yaml|toml|sql|graphql|x-sh|x-ndjson|ld\+json|rtf)|.+\+(?:json|xml|yaml))$/;

function decode(bytes: Buffer, contentType: string, form: "html" | "text"): string {
  const told = /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(contentType)?.[1];
  const head = form === "html" ? bytes.subarray(0, 2_048).toString("latin1") : "";
  const label = told ?? /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(head)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label).decode(bytes);
  } catch (error) {
    // A charset nobody knows; most of the web is UTF-8 whatever it says.
    if (error instanceof RangeError) return new TextDecoder().decode(bytes);
    throw error;
  }
}

interface Extract {
  readonly title: string | undefined;
  readonly text: string;
}

/** How long a page may be taken apart; everybody else waits meanwhile. */
export const EXTRACT_MS_MAX = 1_000;

async function extract(html: string, url: string): Promise<Extract> {
  const libraries = await loadLibraries();
  const page = attempt(() => timeBox(() => article(html, url, libraries), EXTRACT_MS_MAX));
  // Nested beyond reason, or broken in a way the libraries do not expect: the bare words will do.
  return page?.kind === "done" ? page.value : { title: undefined, text: bareText(html) };
}

async function loadLibraries(): Promise<Libraries> {
  const [{ parseHTML }, readability, { default: Turndown }] = await Promise.all([
    import("linkedom"),
    import("@mozilla/readability") as Promise<Either<typeof import("@mozilla/readability")>>,
    import("turndown"),
  ]);
  const Readability = readability.Readability ?? readability.default?.Readability;
  invariant(Readability !== undefined, "the package that weighs pages has the class it is for");
  return {
    parse: (html) => parseHTML(html).document,
    weigh: (document) => new Readability(document, { maxElemsToParse: ELEMENTS_MAX, charThreshold: 200 }).parse(),
    markdown: new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" }),
  };
}

/** Bundled, a CommonJS package that is loaded lazily only has its default. */
type Either<Module> = Partial<Module> & { readonly default?: Module };

type Document = ReturnType<typeof import("linkedom").parseHTML>["document"];

interface Article {
  readonly title?: string | null | undefined;
  readonly content?: string | null | undefined;
}

interface Libraries {
  parse(html: string): Document;
  weigh(document: Document): Article | null;
  readonly markdown: {
    remove(filter: ("form" | "button" | "input" | "img")[]): unknown;
    turndown(node: Document["body"]): string;
  };
}

function article(html: string, url: string, { parse, weigh, markdown }: Libraries): Extract {
  const document = parse(/<body[\s>]/i.test(html) ? html : wrapped(html));
  for (const element of document.querySelectorAll("script, style, noscript, template, iframe, svg")) element.remove();
  for (const link of document.querySelectorAll("a[href]")) {
    const href = link.getAttribute("href") ?? "";
    if (URL.canParse(href, url)) link.setAttribute("href", new URL(href, url).href);
  }
  const title = document.querySelector("title")?.textContent?.trim() || undefined;
  const whole = document.body?.innerHTML ?? html;
  // Null when nothing looks like an article; throws when there is too much to weigh.
  const found = attempt(() => weigh(document)) ?? undefined;
  markdown.remove(["img", "form", "button", "input"]);
  const text = tidy(markdown.turndown(parse(wrapped(found?.content || whole)).body));
  return { title: found?.title?.trim() || title, text };
}

function wrapped(html: string): string {
  return `<!doctype html><html><head></head><body>${html}</body></html>`;
}

/** Undefined when the libraries give up on a page. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

const BREAKING = /^\/?(?:br|p|div|li|tr|h[1-6]|section|article|table|ul|ol|pre)\b/i;
const UNREAD = ["script", "style", "noscript"];
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };

/** The words between the tags, in one pass: the time grows with the length of the page and nothing else. */
function bareText(html: string): string {
  const lower = html.toLowerCase();
  let text = "";
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    const close = open < 0 ? -1 : html.indexOf(">", open);
    text += html.slice(at, close < 0 ? html.length : open);
    if (close < 0) break;
    const tag = lower.slice(open + 1, Math.min(close, open + 12));
    text += BREAKING.test(tag) ? "\n" : " ";
    const unread = UNREAD.find((name) => tag === name || tag.startsWith(`${name} `));
    const end = unread === undefined ? close : lower.indexOf(`</${unread}`, close);
    at = end < 0 ? html.length : end === close ? close + 1 : end;
  }
  const plain = text.replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => ENTITIES[name] ?? " ");
  return tidy(plain.replace(/[ \t\r\f]{2,}/g, " "));
}

function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
