/** Every bound of the plugin system in one place. A test may hand in shorter times; nothing else does. */

export interface PluginLimits {
  /** From the start of the process to its first word. */
  readonly startMs: number;
  /** One plugin's import and `register` together. */
  readonly loadMs: number;
  /** How often the plugin host says that its event loop turns, and how often we look. */
  readonly beatMs: number;
  /** So many looks in a row without a beat: the event loop is blocked; three times as many where nobody can be named. Looks, not time: a laptop may sleep. */
  readonly beatsMissedMax: number;
  /** After a call was cancelled, how long its answer is still waited for. */
  readonly cancelGraceMs: number;
  /** First pause before a restart; it doubles up to the second. */
  readonly restartMs: number;
  readonly restartMaxMs: number;
  /** A plugin host that lived this long is well, and the next pause is a short one again. */
  readonly wellMs: number;
  /** Deaths within `deathsWindowMs` that nobody could be blamed for; then it stays down until the next start. */
  readonly deathsMax: number;
  readonly deathsWindowMs: number;
  /** So many strikes within the window set a plugin aside. */
  readonly strikesMax: number;
  readonly strikesWindowMs: number;
  /** How long a start waits for plugins it knows nothing of yet. */
  readonly openWaitMs: number;
}

export const PLUGIN_LIMITS: PluginLimits = {
  startMs: 10_000,
  loadMs: 5_000,
  beatMs: 500,
  beatsMissedMax: 10,
  cancelGraceMs: 2_000,
  restartMs: 250,
  restartMaxMs: 30_000,
  wellMs: 5 * 60_000,
  deathsMax: 5,
  deathsWindowMs: 10 * 60_000,
  strikesMax: 3,
  strikesWindowMs: 60 * 60_000,
  openWaitMs: 2_000,
};

/** One message between the two processes. A conversation's history fits; a runaway value does not. */
export const FRAME_BYTES_MAX = 4_000_000;
/** Calls under way at once, of all plugins; one more is refused at once. */
export const CALLS_MAX = 256;
/** Calls of one plugin that were given up and never answered: each still holds memory over there. */
export const ABANDONED_MAX = 100;
/** What waits to be read by a plugin host that does not read. */
export const UNSENT_BYTES_MAX = 16_000_000;
/** The heap of the plugin host, and all its memory with buffers and threads. The second is reached first, and has a name. */
export const HEAP_MB_MAX = 512;
export const MEMORY_MB_MAX = 448;
/** What a plugin may print in a second; the rest is counted and dropped. */
export const LINES_PER_SECOND = 20;
export const LINE_CHARS_MAX = 2_000;
/** Printing more than this in a second is a flood. */
export const FLOOD_LINES = 10_000;
export const FLOOD_CHARS = 8_000_000;
/** Bytes in a second past what a plugin says through its own `console`: children of it, raw writes. */
export const RAW_FLOOD_BYTES = 64_000_000;
export const REASON_CHARS_MAX = 500;
/** What one plugin may register of each kind. */
export const CONTRIBUTIONS_MAX = 64;
export const SCHEMA_CHARS_MAX = 32_000;
export const TOOL_SECONDS_DEFAULT = 60;
export const TOOL_SECONDS_MAX = 600;
export const TOOL_OUTPUT_CHARS = 50_000;
export const COMMAND_SECONDS = 60;
export const COMMAND_CHARS_MAX = 20_000;
/** Folders looked at in `plugins/`, and plugins enabled at once. */
export const PLUGINS_MAX = 100;
