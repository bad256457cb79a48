/**
 * Text that every encoder takes. A model may emit half of a surrogate pair, and a stream may split a pair
 * between two events; the first is replaced, the second is put together again.
 */

/** Deltas in, well-formed deltas out: half a pair waits for its other half. */
export interface TextJoiner {
  add(delta: string): string;
  /** What still waits: at most one replaced character. */
  end(): string;
}

export function joinText(): TextJoiner {
  let held = "";
  return {
    add(delta) {
      const text = held + delta;
      const last = text.charCodeAt(text.length - 1);
      const isHalf = last >= 0xd800 && last <= 0xdbff;
      held = isHalf ? text.slice(-1) : "";
      return (isHalf ? text.slice(0, -1) : text).toWellFormed();
    },
    end() {
      const rest = held.toWellFormed();
      held = "";
      return rest;
    },
  };
}

/** A copy of a JSON value whose strings and keys are well-formed; the value itself when they already are. */
export function wellFormedValue(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormedValue);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormedValue(item)]));
}
