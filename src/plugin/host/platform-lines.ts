/** Accounts of plugins' platforms, as they live in the plugin host. They are gone with it, and opened again by the parent. */
import type { PluginLine, PluginPlatform } from "../api.js";
import type { PlatformAct } from "../wire/frames.js";

const lines = new Map<string, PluginLine>();

export interface LineCall {
  readonly plugin: string;
  readonly platform: PluginPlatform;
  readonly account: string;
  readonly act: PlatformAct;
}

/** `open` answers which of the optional acts the line knows. */
export async function askLine(
  { plugin, platform, account, act }: LineCall,
  value: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const key = JSON.stringify([plugin, platform.name, account]);
  const args = Array.isArray(value) ? value : [];
  if (act === "open") {
    await close(key, []);
    if (platform.open === undefined) throw new Error(`platform ${platform.name} cannot be opened`);
    const line = await platform.open(args[0] as Readonly<Record<string, unknown>>, account);
    for (const name of ["receive", "send"] as const) {
      if (typeof line?.[name] !== "function")
        throw new TypeError(`platform ${platform.name}: ${name} is not a function`);
    }
    lines.set(key, line);
    return (["edit", "find", "typing"] as const).filter((name) => typeof line[name] === "function");
  }
  if (act === "close") return close(key, args[0] as readonly string[]);
  const line = lines.get(key);
  if (line === undefined) throw new Error(`no account ${account} is open`);
  const method = line[act] as ((...values: unknown[]) => unknown) | undefined;
  if (method === undefined) throw new Error(`platform ${platform.name} cannot ${act}`);
  const answer = await method.call(line, ...args, signal);
  // `undefined` is no JSON: whoever cannot say says nothing.
  return act === "find" && answer === undefined ? { kind: "unsure" } : answer;
}

async function close(key: string, stored: readonly string[]): Promise<void> {
  const line = lines.get(key);
  lines.delete(key);
  await line?.close?.(stored);
}
