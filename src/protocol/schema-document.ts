/**
 * The JSON Schema document of the wire (`docs/rpc.schema.json`, `talaria rpc --schema`), made from the same schemas the
 * host reads requests with. It accepts every frame of the protocol; the result of a method is under its own name,
 * because a frame with a result does not say which method it answers.
 */
import { z } from "zod";
import { ERROR_CODES } from "./error-codes.js";
import { EVENTS } from "./events.js";
import { EVENT_METHOD, FRAME_ID_CHARS_MAX, type JsonObject, VERSION } from "./frame.js";
import { METHODS, PROTOCOL_NUMBER } from "./methods.js";
import * as shapes from "./shapes.js";

const SHARED = {
  usage: shapes.usage,
  spent: shapes.spent,
  session_info: shapes.sessionPanel,
  transcript_row: shapes.transcriptRow,
  picture: shapes.picture,
  question: shapes.question,
  event_params: shapes.eventParams,
};

/** The same text for the same schemas: one document, keys in the order of the tables. */
export function schemaText(): string {
  return `${JSON.stringify(schemaDocument(), null, 2)}\n`;
}

export function schemaDocument(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Talaria RPC",
    description: "JSON-RPC 2.0 frames between a Talaria host and its clients; one object per line or text frame.",
    protocol: PROTOCOL_NUMBER,
    anyOf: [ref("frame.request"), ref("frame.result"), ref("frame.error"), ref("frame.event")],
    $defs: { ...frames(), ...definitions() },
  };
}

function definitions(): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(SHARED)) registry.add(schema, { id: name });
  for (const [name, { params, result }] of Object.entries(METHODS)) {
    registry.add(params, { id: `params.${name}` });
    // Several methods may share one result; a registry knows a schema by one name only.
    registry.add(result.clone(), { id: `result.${name}` });
  }
  for (const [name, payload] of Object.entries(EVENTS)) {
    if (hasPayload(payload)) registry.add(payload.clone(), { id: `event.${name}` });
  }
  const { schemas } = z.toJSONSchema(registry, {
    io: "input",
    uri: (id) => `#/$defs/${id}`,
    override: ({ jsonSchema }) => dropSafeIntegerBounds(jsonSchema),
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

function frames(): JsonObject {
  const id = ref("frame.id");
  const frame = (properties: JsonObject, required: readonly string[]): JsonObject => ({
    type: "object",
    properties: { jsonrpc: { const: VERSION }, ...properties },
    required: ["jsonrpc", ...required],
  });
  const error = {
    type: "object",
    properties: { code: { type: "integer", description: codesText() }, message: { type: "string" } },
    required: ["code", "message"],
  };
  const request = (method: string): JsonObject =>
    frame({ id, method: { const: method }, params: ref(`params.${method}`) }, ["id", "method"]);
  return {
    "frame.id": { anyOf: [{ type: "string", maxLength: FRAME_ID_CHARS_MAX }, { type: "number" }] },
    "frame.request": { anyOf: Object.keys(METHODS).map(request) },
    "frame.result": frame({ id, result: { type: "object" } }, ["id", "result"]),
    "frame.error": frame({ id: { anyOf: [id, { type: "null" }] }, error }, ["id", "error"]),
    "frame.event": frame({ method: { const: EVENT_METHOD }, params: { anyOf: eventVariants() } }, ["method", "params"]),
  };
}

function eventVariants(): readonly JsonObject[] {
  return Object.entries(EVENTS).map(([type, payload]) => ({
    type: "object",
    properties: {
      type: { const: type },
      session_id: { type: "string" },
      seq: { type: "integer" },
      ...(hasPayload(payload) && { payload: ref(`event.${type}`) }),
    },
    required: ["type", ...(hasPayload(payload) ? ["payload"] : [])],
    additionalProperties: false,
  }));
}

function codesText(): string {
  return Object.entries(ERROR_CODES)
    .map(([name, code]) => `${code} ${name}`)
    .join(", ");
}

function ref(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

function hasPayload(schema: z.ZodType): boolean {
  return !(schema instanceof z.ZodUndefined);
}

/** Each definition is part of one document: it has no dialect and no address of its own. */
function bare({ $schema: _dialect, $id: _address, ...schema }: JsonObject): JsonObject {
  return schema;
}

/** Every whole number in JSON is a safe one; saying so at each of them hides what is really limited. */
function dropSafeIntegerBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
