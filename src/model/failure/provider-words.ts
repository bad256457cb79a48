/** The one sentence in an error that a person can use, out of bodies that no two providers shape alike. */
import { field, first, isText } from "../json-field.js";

/** From a thrown error, an error object of a stream, or a body as text. Empty when there is none. */
export function wordsOf(source: unknown): string {
  if (typeof source === "string") return ofBody(source);
  const body = field(source, "responseBody");
  const fromBody = isText(body) ? ofBody(body) : "";
  if (fromBody !== "") return fromBody;
  const inside = ofObject(field(source, "value") ?? field(source, "data"));
  if (inside !== "") return inside;
  return ofObject(source);
}

function ofBody(body: string): string {
  const text = body.trim();
  if (text.startsWith("<")) return ofPage(text);
  if (!text.startsWith("{") && !text.startsWith("[")) return text;
  const found = ofObject(parsed(text));
  return found !== "" ? found : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Cut at the bound of what is read, or not JSON after all: the text itself is what there is.
    return undefined;
  }
}

/** `{error: {message}}`, `{error: "…"}`, `{message}`, `{detail}`, `[{error}]`; OpenRouter adds what its upstream said. */
function ofObject(value: unknown): string {
  const from = first(value) ?? value;
  const error = field(from, "error");
  const holder = typeof error === "object" && error !== null ? error : from;
  if (isText(error)) return error;
  const message =
    field(holder, "message") ?? field(holder, "detail") ?? field(field(field(from, "response"), "error"), "message");
  if (!isText(message)) return "";
  const upstream = field(field(holder, "metadata"), "raw");
  return isText(upstream) ? `${message}: ${wordsOf(upstream)}` : message;
}

/** A page of a proxy or a login: its title says more than its markup. */
function ofPage(html: string): string {
  const title = /<title[^>]{0,200}>([^<]{1,200})/i.exec(html)?.[1]?.trim();
  return title === undefined || title === "" ? "a web page instead of an answer" : `a web page: ${title}`;
}
