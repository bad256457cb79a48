/** Whose fault the death of the plugin host is: a pure judgement from what was known when it died. */
import type { Trouble } from "./wire/frames.js";

export type EndKind = "stopped" | "not-started" | "exited" | Exclude<Trouble["how"], "exit" | "uncaught"> | "malformed";

export interface HostEnd {
  readonly kind: EndKind;
  /** What happened, in words that follow a plugin's name. */
  readonly text: string;
  /** Whom the plugin host itself named, from a stack. */
  readonly named: string | null;
  /** Plugins with a call under way. */
  readonly underWay: readonly string[];
  /** Ended from outside (an administrator, the kernel short of memory): nobody's code did that. */
  readonly isFromOutside: boolean;
}

export interface Standing {
  readonly loading: string | undefined;
  readonly loaded: readonly string[];
}

/** Nobody when it cannot be told: then the death is counted, and no innocent plugin is. */
export function blame(end: HostEnd, { loading, loaded }: Standing): readonly string[] {
  if (end.kind === "stopped" || end.kind === "not-started") return [];
  if (end.named !== null) return [end.named];
  if (end.isFromOutside) return [];
  if (loading !== undefined) return [loading];
  if (end.underWay.length > 0) return end.underWay;
  return loaded.length === 1 ? loaded : [];
}
