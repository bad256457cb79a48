/** HTML as Telegram reads it: the tags and entities it knows, strictly nested; what people see of it, or why it is refused. */

export type ReadHtml =
  | { readonly kind: "ok"; readonly text: string; readonly tags: readonly string[] }
  | { readonly kind: "refused"; readonly why: string };

const TAGS = new Set([
  "b",
  "strong",
  "i",
  "em",
  "u",
  "ins",
  "s",
  "strike",
  "del",
  "code",
  "pre",
  "a",
  "blockquote",
  "tg-spoiler",
]);
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

export function readHtml(html: string): ReadHtml {
  const open: string[] = [];
  const tags: string[] = [];
  let text = "";
  let at = 0;
  while (at < html.length) {
    const char = html[at] ?? "";
    if (char === "<") {
      const tag = /^<(\/?)([a-z-]+)((?: [a-z]+="[^"<>]*")?)>/.exec(html.slice(at, at + 5_000));
      if (!tag) return refused(`unsupported start tag at byte offset ${at}`);
      const [whole, slash, name = "", attribute = ""] = tag;
      if (!TAGS.has(name)) return refused(`unsupported start tag "${name}" at byte offset ${at}`);
      if (slash === "/") {
        if (open.pop() !== name) return refused(`unexpected end tag at byte offset ${at}`);
      } else {
        if (name === "blockquote" && open.includes("blockquote")) return refused("blockquotes cannot be nested");
        open.push(name);
        tags.push(name + attribute);
      }
      at += whole.length;
    } else if (char === "&") {
      const entity = /^&(?:(lt|gt|amp|quot)|#(\d{1,7}));/.exec(html.slice(at, at + 12));
      if (!entity) return refused(`unknown entity at byte offset ${at}`);
      text += entity[1] ? (ENTITIES[entity[1]] ?? "") : String.fromCodePoint(Number(entity[2]));
      at += entity[0].length;
    } else if (char === ">") return refused(`a lone > at byte offset ${at}`);
    else {
      text += char;
      at += 1;
    }
  }
  if (open.length > 0) return refused(`can't find end tag corresponding to start tag "${open.at(-1)}"`);
  return { kind: "ok", text, tags };
}

function refused(why: string): ReadHtml {
  return { kind: "refused", why };
}
