/** The payload of a shell hook as a plugin sees it: `session_id` is `sessionId`. Only the outer keys: the rest is data. */

export function camelKeys(payload: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [
      key.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, next: string) => next.toUpperCase()),
      value,
    ]),
  );
}
