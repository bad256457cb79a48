/** The reference tables of the guide to the wire, made from the schemas: methods, events, empty answers, error codes. */
import { z } from "zod";
import { ERROR_CODES } from "./error-codes.js";
import { EVENTS } from "./events.js";
import { METHODS } from "./methods.js";
import { UNAVAILABLE, type Unavailable } from "./unavailable.js";

const TABLES = {
  methods: methodsTable,
  events: eventsTable,
  unavailable: unavailableTable,
  errors: errorsTable,
} as const;

/** Replaces everything between `<!-- name -->` and `<!-- /name -->`, for each table. */
export function withTables(guide: string): string {
  let text = guide;
  for (const [name, table] of Object.entries(TABLES)) {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const from = text.indexOf(open);
    const to = text.indexOf(close);
    if (from === -1 || to < from) throw new Error(`the guide has no place for the table of ${name}`);
    text = `${text.slice(0, from + open.length)}\n${table()}\n${text.slice(to)}`;
  }
  return text;
}

function methodsTable(): string {
  const rows = Object.entries(METHODS).map(([name, { params, result }]) => [
    `\`${name}\``,
    fieldsOf(params),
    fieldsOf(result),
  ]);
  return table(["method", "params", "result"], rows);
}

function eventsTable(): string {
  return table(
    ["event", "payload"],
    Object.entries(EVENTS).map(([name, payload]) => [`\`${name}\``, fieldsOf(payload)]),
  );
}

function unavailableTable(): string {
  const answers: readonly (readonly [string, Unavailable])[] = Object.entries(UNAVAILABLE);
  return table(
    ["method", "answer"],
    answers.map(([name, answer]) => [
      `\`${name}\``,
      answer.kind === "result"
        ? `\`${JSON.stringify(answer.result)}\``
        : `error ${answer.error.code}, ${answer.error.message}`,
    ]),
  );
}

function errorsTable(): string {
  return table(
    ["code", "name"],
    Object.entries(ERROR_CODES).map(([name, code]) => [String(code), `\`${name}\``]),
  );
}

/** `a`, `b?`: the fields by name; of a union its variants. */
function fieldsOf(schema: z.ZodType): string {
  if (schema instanceof z.ZodUnion) {
    const variants = schema.options.filter((option) => option instanceof z.ZodType).map(fieldsOf);
    return variants.join(" or ");
  }
  if (!(schema instanceof z.ZodObject)) return "–";
  const fields = Object.entries(schema.shape).map(([key, field]) => nameOf(key, field));
  return fields.length === 0 ? "–" : `{${fields.join(", ")}}`;
}

function nameOf(key: string, field: unknown): string {
  if (field instanceof z.ZodLiteral)
    return `${key}: ${[...field.values].map((value) => JSON.stringify(value)).join("/")}`;
  const isOptional = field instanceof z.ZodOptional || field instanceof z.ZodUnknown;
  return isOptional ? `${key}?` : key;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), `|${heads.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}
