/** How the adapters reach a plugin; the supervisor is one. */
import type { PluginCall } from "./host-process.js";

export interface CallPort {
  /** Rejects with a PluginError, promptly, whatever happened over there. */
  call(call: PluginCall): Promise<unknown>;
}
