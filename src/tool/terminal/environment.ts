/**
 * The environment of a command. [CR-4] Which session and conversation it runs for is said here, from the values of
 * the call and not from a variable of the process, so that two conversations, or a session before and after a
 * compaction, cannot be taken for each other. Our own secrets and settings are not in it.
 */
import { isSecretName, REDACTED, redact } from "#base/redact.js";

export interface EnvironmentOf {
  readonly session: string;
  readonly conversation: string;
}

export function toolEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { session, conversation }: EnvironmentOf,
): Readonly<Record<string, string>> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isForCommands(entry[0], entry[1]),
  );
  return {
    ...FALLBACK,
    ...Object.fromEntries(kept),
    ...FIXED,
    TALARIA_SESSION_ID: session,
    TALARIA_CONVERSATION_ID: conversation,
  };
}

function isForCommands(name: string, value: string): boolean {
  if (name === "" || name.includes("=") || value.includes("\0")) return false;
  const isSecret = isSecretName(name) || SECRET_PART.test(name) || hasLogin(value) || isToken(value);
  return !isSecret && !OURS.test(name) && !PROVIDERS.test(name);
}

/** What configures this program, its runtime, or the shell that judges nothing of what it loads first. */
const OURS =
  /^(?:TALARIA_.*|NODE_OPTIONS|NODE_CHANNEL_FD|NODE_CHANNEL_SERIALIZATION_MODE|NODE_UNIQUE_ID|NODE_PENDING_DEPRECATION|NODE_V8_COVERAGE|VITEST.*|npm_.*|INIT_CWD|BASH_ENV|ENV|BASH_FUNC_.*|PROMPT_COMMAND|LD_PRELOAD|DYLD_INSERT_LIBRARIES|PS4|SHELLOPTS|BASHOPTS)$/;

/** Whatever a provider of models or a platform reads, also when its name does not sound like a secret. */
const PROVIDERS =
  /^(?:OPENAI|ANTHROPIC|OPENROUTER|GEMINI|GOOGLE_GENERATIVE|GOOGLE_AI|AZURE_OPENAI|MISTRAL|GROQ|DEEPSEEK|XAI|COHERE|TOGETHER|FIREWORKS|PERPLEXITY|CEREBRAS|MOONSHOT|DASHSCOPE|ZAI|TELEGRAM|DISCORD|SLACK|MATRIX|WHATSAPP|SIGNAL)_/i;

/** A secret's name need not end with the word: `SECRET_KEY_BASE`, `AWS_SECRET_ACCESS_KEY_ID`, `MY_TOKEN_FILE`. */
const SECRET_PART = /(?:^|_)(?:SECRETS?|TOKENS?|PASSW(?:OR)?D|PASSPHRASE|CREDENTIALS?|API_?KEYS?|PRIVATE_?KEY)(?:_|$)/i;

/** `postgres://somebody:secret@host`: the secret is in the value. */
function hasLogin(value: string): boolean {
  return /^[a-z][a-z0-9+.-]{0,31}:\/\/[^/\s:@]{0,256}:[^/\s@]{1,256}@/i.test(value);
}

/** `MINE=ghp_…`: the whole value has the shape of a known token. A part of one may be a folder's name. */
function isToken(value: string): boolean {
  return redact(value.trim()) === REDACTED;
}

/** Where the person's environment says nothing. */
const FALLBACK: Readonly<Record<string, string>> = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  LANG: "C.UTF-8",
};

/** Nobody is there to press a key: pagers, editors and questions would hang until the time limit. */
const FIXED: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  GCM_INTERACTIVE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
  PYTHONUNBUFFERED: "1",
  TERM: "dumb",
};
