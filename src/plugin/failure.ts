/** How a plugin fails, as the rest of the program sees it: always with the plugin's name, never as a bug of ours. */
import { OperationalError, type Retry } from "#base/errors.js";

export type PluginFailureCode =
  /** It threw, or answered something that cannot be used. */
  | "plugin-failed"
  /** No answer within its time. */
  | "plugin-late"
  /** The plugin host died or was ended under the call. */
  | "plugin-died"
  /** The plugin host is being restarted, or has too much to do. */
  | "plugin-busy"
  /** Not loaded: set aside, disabled, or the whole plugin host is down. */
  | "plugin-gone";

const RETRY: Readonly<Record<PluginFailureCode, Retry>> = {
  "plugin-failed": "after-delay",
  "plugin-late": "after-delay",
  "plugin-died": "after-delay",
  "plugin-busy": "after-delay",
  "plugin-gone": "never",
};

export class PluginError extends OperationalError {
  constructor(
    override readonly code: PluginFailureCode,
    readonly plugin: string,
    /** What happened, without the plugin's name. */
    readonly reason: string,
  ) {
    super(code, RETRY[code], `plugin ${plugin}: ${reason}`);
  }
}

/** Something a person should know about a plugin. */
export interface PluginRemark {
  /** Null when it concerns all of them. */
  readonly plugin: string | null;
  /** `broken`: it does not run. `remark`: it runs, and something of it does not. */
  readonly kind: "broken" | "remark";
  readonly text: string;
}
