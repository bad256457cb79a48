/**
 * An export as conversations of checked records. Order and numbers are part of the check: what comes out of a
 * conversation without a problem can be stored as it is. A bad line spoils its own conversation and no other.
 */
import { UserError } from "#base/errors.js";
import { type Line, linesOf } from "./lines.js";
import { type AnyRecord, anyRecord, type ConversationRecord, FORMAT_VERSION, headerRecord } from "./records.js";

export interface Problem {
  readonly line: number;
  readonly why: string;
}

export type Parsed =
  | { readonly kind: "record"; readonly line: number; readonly record: AnyRecord }
  /** The conversation is bad from here on; its records up to the next one are not given. */
  | { readonly kind: "bad"; readonly line: number; readonly conversation: string | null; readonly why: string };

export async function* parseExport(path: string, lineBytesMax?: number): AsyncGenerator<Parsed> {
  let order: ConversationOrder | undefined;
  let isPassing = false;
  let lastLine = 0;
  const sessions = new Map<string, string>();
  for await (const line of linesOf(path, lineBytesMax)) {
    lastLine = line.number;
    if (line.number === 1) {
      checkHeader(path, line);
      continue;
    }
    const read = readLine(line);
    const begins = typeof read !== "string" && read.type === "conversation";
    if (begins && order !== undefined) yield bad(order, line.number, "the conversation before this line has no end");
    if (begins) {
      order = new ConversationOrder(read, sessions);
      isPassing = false;
      yield { kind: "record", line: line.number, record: read };
      continue;
    }
    if (isPassing) continue;
    const why =
      typeof read === "string" ? read : (order?.refuse(read) ?? (order ? undefined : "no conversation has begun"));
    if (why !== undefined) {
      yield { kind: "bad", line: line.number, conversation: order?.id ?? null, why };
      isPassing = true;
      order = undefined;
    } else if (typeof read !== "string") {
      yield { kind: "record", line: line.number, record: read };
      if (read.type === "end") order = undefined;
    }
  }
  if (order !== undefined) yield bad(order, lastLine, "the file ends before the conversation does");
}

function bad(order: ConversationOrder, line: number, why: string): Parsed {
  return { kind: "bad", line, conversation: order.id, why };
}

function checkHeader(path: string, line: Line): void {
  const value = line.kind === "text" ? parseJson(line.text.replace(/^\ufeff/, "")) : undefined;
  const header = headerRecord.safeParse(value);
  if (!header.success)
    throw new UserError(`${path} is not an export of Talaria`, "talaria sessions export --all -o FILE makes one");
  if (header.data.version > FORMAT_VERSION)
    throw new UserError(
      `${path} was written by a newer version of Talaria (format ${header.data.version})`,
      "update this one, then import it; nothing was changed",
    );
}

/** The record, or what is wrong with the line. */
function readLine(line: Line): AnyRecord | string {
  if (line.kind === "bad") return line.why;
  const value = parseJson(line.text);
  if (value === undefined) return "the line is not JSON";
  // The store would refuse it, when a part of the conversation may be there already.
  if (isTooDeep(value)) return "the line is nested too deeply";
  const record = anyRecord.safeParse(value);
  if (record.success) return record.data;
  const [issue] = record.error.issues;
  return `${issue?.path.join(".") || "the record"}: ${issue?.message ?? "is not known"}`;
}

/** SQLite takes JSON that is nested 1,000 deep, and a record is one more around it. */
const NESTING_MAX = 1_001;

/** Level by level, so that no depth costs the process its stack. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth < NESTING_MAX && level.length > 0; depth++)
    level = level
      .flatMap((one) => Object.values(one as object))
      .filter((one) => typeof one === "object" && one !== null);
  return level.length > 0;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Follows one conversation and says what does not fit. */
class ConversationOrder {
  readonly id: string;
  readonly #own = new Set<string>();
  #last: string | undefined;
  #seq = 0;
  #isClosing = false;

  /** `owners` tells each session's conversation in the whole file: one of two would get the messages of both. */
  constructor(
    record: ConversationRecord,
    private readonly owners: Map<string, string>,
  ) {
    this.id = record.id;
  }

  refuse(record: AnyRecord): string | undefined {
    switch (record.type) {
      case "conversation":
        return undefined;
      case "session":
        if (this.#isClosing) return "a session after the superseded ranges";
        if (record.continues !== this.#last) return `session ${record.id} does not continue the one before it`;
        if (this.#own.has(record.id) || (this.owners.get(record.id) ?? this.id) !== this.id)
          return `session ${record.id} appears twice`;
        if (record.openings.filter(({ closedMs }) => closedMs === null).length > 1)
          return `session ${record.id} is open twice`;
        this.owners.set(record.id, this.id);
        this.#own.add(record.id);
        this.#last = record.id;
        return undefined;
      case "message":
        if (this.#isClosing) return "a message after the superseded ranges";
        if (record.seq !== this.#seq + 1) return `message ${record.seq} follows message ${this.#seq}`;
        if (!this.#own.has(record.session)) return `message ${record.seq} names a session that has not begun`;
        this.#seq = record.seq;
        return undefined;
      case "superseded":
        this.#isClosing = true;
        return record.fromSeq > record.toSeq || record.toSeq > this.#seq
          ? "a superseded range of no messages"
          : undefined;
      case "end":
        if (record.conversation !== this.id) return "the end of another conversation";
        if (this.#last === undefined) return "the conversation has no session";
        return record.messages === this.#seq
          ? undefined
          : `${record.messages} messages were exported, ${this.#seq} are here`;
    }
  }
}
