/** The platforms that come with the program, by name. Each library is loaded when an account is opened, not before. */
import type { Limits, PlatformKind } from "./platform.js";

type Loader = () => Promise<PlatformKind>;

const BUILT_IN: Readonly<Record<string, Loader>> = {
  telegram: async () => (await import("./telegram/kind.js")).telegram as PlatformKind,
  discord: async () => (await import("./discord/kind.js")).discord as PlatformKind,
  slack: async () => (await import("./slack/kind.js")).slack as PlatformKind,
  irc: async () => (await import("./irc/kind.js")).irc as PlatformKind,
  webhook: async () => (await import("./webhook/kind.js")).webhook as PlatformKind,
  console: async () => (await import("./console/kind.js")).console as PlatformKind,
};

export function builtInPlatforms(): readonly string[] {
  return Object.keys(BUILT_IN);
}

export async function builtInPlatform(name: string): Promise<PlatformKind | undefined> {
  return Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name]?.() : undefined;
}

/** What each of them takes in one message; no library is loaded for it. */
export async function builtInLimits(): Promise<ReadonlyMap<string, Limits>> {
  const kinds = await Promise.all(Object.values(BUILT_IN).map((load) => load()));
  return new Map(kinds.map(({ name, limits }) => [name, limits]));
}
