/**
 * A time during which a session is in use. Opened by its first input or by a resume, closed once with a
 * reason [FQ-4]. "Ended" and "end reason" speak of a session's last opening.
 */

/** Reasons this program writes; an import may bring others, which are kept as they are. */
export type EndReason =
  | "session_reset"
  | "compression"
  | "resumed_other"
  | "branched"
  | "session_expired"
  | "route_pruned"
  | "deleted"
  | "orphaned_compression"
  | "cli_close"
  | "tui_close"
  | "api_close"
  | "client_lost"
  | "shutdown";

export type Closing =
  | { readonly kind: "closed"; readonly reason: string; readonly atMs: number }
  /** Somebody closed it before; their reason and time stay. */
  | { readonly kind: "already-closed"; readonly reason: string; readonly atMs: number }
  /** The session was never opened, or has no row: there is nothing to close [FQ-6]. */
  | { readonly kind: "not-open" }
  /** Another route still leads here: the caller only detaches. */
  | { readonly kind: "held-elsewhere" };
