/**
 * Takes secrets out of text before it is logged or exported. Every pattern starts at a fixed word or at
 * the edge of a token and has bounded parts, so the time grows with the length of the text and nothing
 * else, whatever somebody writes. Redacting too much is a nuisance, too little is a leak: when in doubt, redact.
 */

export const REDACTED = "[redacted]";

/** Deeper values are replaced as a whole: nobody reads them in a log line. */
const DEPTH_MAX = 8;

export function redact(text: string): string {
  let result = redactPrivateKeys(text);
  for (const secret of known) result = result.replaceAll(secret, REDACTED);
  for (const { pattern, replacement } of RULES) result = result.replace(pattern, replacement);
  return result;
}

/** A shorter one would be found in ordinary words; whoever chooses such a password has none. */
const KNOWN_CHARS_MIN = 6;
const KNOWN_MAX = 1_000;
/** Longest first: a secret that holds another one goes as a whole. */
let known: readonly string[] = [];

/** From here on this very text is taken out wherever it appears, also as it looks in an address. */
export function keepSecret(secret: string): void {
  const forms = [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)];
  const news = forms.filter((form) => form.length >= KNOWN_CHARS_MIN && !known.includes(form));
  if (news.length === 0) return;
  known = [...new Set([...known, ...news])].sort((a, b) => b.length - a.length).slice(0, KNOWN_MAX);
}

/** A copy of a JSON-like value with every string redacted, and whole values whose key names a secret. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEPTH_MAX) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isSecretName(key) && (typeof item === "string" || typeof item === "number")
        ? REDACTED
        : isHeaders(key)
          ? redactHeaders(item)
          : redactValue(item, depth + 1),
    ]),
  );
}

/** Whether a key or a setting holds HTTP headers. */
export function isHeaders(name: string): boolean {
  return /(?:^|[._-])headers$/i.test(name);
}

/** Any header may carry a secret, whatever it is called: their names are shown, and the variables they come from. */
export function redactHeaders(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value === null || value === undefined ? value : REDACTED;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, /^\$\{\w+\}$/.test(String(item)) ? item : REDACTED]),
  );
}

/** Whether a key, variable or header is called like something that holds a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

const SECRET_WORDS =
  "api[_-]?key|apikey|access[_-]?key|secret[_-]?key|private[_-]?key|client[_-]?secret|secret|passwd|password|passphrase|pwd|" +
  "auth[_-]?token|access[_-]?token|refresh[_-]?token|bot[_-]?token|session[_-]?token|token|authorization|cookie|credentials?";

/** `GH_PAT`, `NPM_CONFIG__AUTH`, `X-Auth`; as part of a longer word they mean something else. */
const SECRET_NAME = new RegExp(`(?:${SECRET_WORDS}|[_-]pat|[_-]auth)$`, "i");

interface Rule {
  readonly pattern: RegExp;
  readonly replacement: string;
}

/** Not inside a longer token: `task-…` is not `sk-…`. Also what keeps repeated prefixes linear. */
const EDGE = "(?<![A-Za-z0-9_-])";

const token = (shape: string): Rule => ({ pattern: new RegExp(EDGE + shape, "g"), replacement: REDACTED });

const RULES: readonly Rule[] = [
  // OpenAI, Anthropic, OpenRouter, Stripe and others that borrowed the shape.
  token("(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}"),
  // GitHub, GitLab, npm, Hugging Face, Google, Slack, AWS, Discord.
  token("gh[pousr]_[A-Za-z0-9]{16,}"),
  token("github_pat_[A-Za-z0-9_]{20,}"),
  token("glpat-[A-Za-z0-9_-]{16,}"),
  token("npm_[A-Za-z0-9]{20,}"),
  token("hf_[A-Za-z0-9]{20,}"),
  token("AIza[A-Za-z0-9_-]{30,}"),
  token("ya29\\.[A-Za-z0-9_-]{20,}"),
  token("xox[a-z]-[A-Za-z0-9-]{10,}"),
  token("xapp-[A-Za-z0-9-]{10,}"),
  token("(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
  token("[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_-])"),
  // JSON web tokens: three parts, the first begins with {" in base64.
  token("eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*)?"),
  // Telegram bot tokens, also right after the word bot in an address.
  { pattern: /(?<![0-9])[0-9]{8,12}:[A-Za-z0-9_-]{34,36}(?![A-Za-z0-9_-])/g, replacement: REDACTED },
  // scheme://person:secret@host
  { pattern: /:\/\/([^\s/@:"'<>]{0,128}):[^\s/@"'<>]{1,256}@/g, replacement: `://$1:${REDACTED}@` },
  { pattern: /\b(bearer)[ \t]{1,4}[A-Za-z0-9._~+/=-]{16,}/gi, replacement: `$1 ${REDACTED}` },
  // Authorization: Basic …, and whatever else follows the header's name up to the end of the line or string.
  {
    pattern:
      /\b((?:proxy-)?authorization|(?:set-)?cookie)(\\?["']?[ \t]{0,8}[:=][ \t]{0,8}\\?["']?)(?!\[redacted)[^"'\\\r\n]{4,4096}/gi,
    replacement: `$1$2${REDACTED}`,
  },
  // name = "quoted secret", also as JSON inside a JSON string, where the quotes are escaped.
  {
    pattern: new RegExp(
      `(${SECRET_WORDS})(\\\\?["']?[ \\t]{0,8}[:=][ \\t]{0,8})(\\\\?)(["'])(?!\\[redacted)(?:(?!\\4)[^\\\\\\r\\n]|\\\\(?!\\4)[^\\r\\n]|(?!\\3\\4)\\\\\\4){1,512}`,
      "gi",
    ),
    replacement: `$1$2$3$4${REDACTED}`,
  },
  // name=bare-secret
  {
    pattern: new RegExp(
      `(${SECRET_WORDS})(\\\\?["']?[ \\t]{0,8}[:=][ \\t]{0,8})(?!\\[redacted)[^\\s"'\\\\,;&)}\\]\\[({]{4,512}`,
      "gi",
    ),
    replacement: `$1$2${REDACTED}`,
  },
];

const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;

/** By hand, not by one pattern: a text full of openings without an end would be searched again for each. */
function redactPrivateKeys(text: string): string {
  let result = "";
  let from = 0;
  for (;;) {
    KEY_BEGIN.lastIndex = from;
    const begin = KEY_BEGIN.exec(text);
    if (begin === null) return from === 0 ? text : result + text.slice(from);
    result += text.slice(from, begin.index) + REDACTED;
    KEY_END.lastIndex = KEY_BEGIN.lastIndex;
    // A key that was cut off is still a key.
    if (KEY_END.exec(text) === null) return result;
    from = KEY_END.lastIndex;
  }
}
