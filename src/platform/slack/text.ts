/** What Slack gives us as text, as a person would read it: its tags and entities resolved. Pure. */
import { heardText } from "../format-heard.js";

export interface Reader {
  /** Ourselves: our own mention is taken off. */
  readonly selfId: string;
  /** What somebody is called, where we know. */
  nameOf(userId: string): string | undefined;
}

export function fromMrkdwn(text: string, reader: Reader): string {
  const own = `<@${reader.selfId}(?:\\|[^>]*)?>`;
  const said = heardText(text)
    .replace(new RegExp(`^\\s*(?:${own}[\\s,:]*)+`), "")
    .replace(new RegExp(`[ \\t]?${own}`, "g"), "");
  let out = "";
  let from = 0;
  for (const tag of said.matchAll(/<([^<>]*)>/g)) {
    out += unescaped(said.slice(from, tag.index)) + fromTag(tag[1] ?? "", reader);
    from = tag.index + tag[0].length;
  }
  return out + unescaped(said.slice(from));
}

/** Whether this text names us. */
export function mentions(text: string, selfId: string): boolean {
  return text.includes(`<@${selfId}>`) || text.includes(`<@${selfId}|`);
}

function fromTag(tag: string, { nameOf }: Reader): string {
  const bar = tag.indexOf("|");
  const target = unescaped(bar < 0 ? tag : tag.slice(0, bar));
  const label = bar < 0 ? "" : unescaped(tag.slice(bar + 1));
  if (target.startsWith("@")) return `@${label || nameOf(target.slice(1)) || target.slice(1)}`;
  if (target.startsWith("#")) return `#${label || target.slice(1)}`;
  if (target.startsWith("!")) return fromSpecial(target.slice(1), label);
  // Slack makes links of what looks like one: what was typed stands behind the bar.
  if (label !== "" && [label, `mailto:${label}`, `http://${label}`, `tel:${label}`].includes(target)) return label;
  if (label === "") return target;
  return `[${label}](${target})`;
}

/** `<!here>`, `<!subteam^S1|@team>`, `<!date^…|words>`. */
function fromSpecial(name: string, label: string): string {
  if (label !== "") return label.startsWith("@") || name.startsWith("date") ? label : `@${label}`;
  return `@${name.split("^").pop() ?? name}`;
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
