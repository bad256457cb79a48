/** What the harness asks of one writer process. */
import type { Inbound } from "#session/verbs/intake.js";

export interface Plan {
  readonly home: string;
  readonly seed: number;
  readonly generation: number;
  readonly chats: number;
  /** What the platform has no acknowledgement of. */
  readonly redeliver: readonly Inbound[];
  /** No new events: finish everything, say `idle`, close and end. Otherwise work until killed. */
  readonly isDraining: boolean;
  /** One call at a time, so that an observer can tell which disk write belongs to which answer. */
  readonly isSerial: boolean;
  /** Acts after which a draining writer stops beginning new ones; 0 for one that only finishes. */
  readonly actsMax: number;
  /** Say the log's size with every answer, and stop before it could be checkpointed. */
  readonly walBytesMax?: number;
}
