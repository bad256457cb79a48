/**
 * The API a plugin gets, and what it registered: checked where it is called, so that the plugin's author sees the
 * line. What is kept here runs; what is told to the parent is its description.
 */
import type { PluginApi, PluginCommand, PluginEvent, PluginPlatform, PluginTool } from "../api.js";
import { CONTRIBUTIONS_MAX, SCHEMA_CHARS_MAX, TOOL_SECONDS_DEFAULT, TOOL_SECONDS_MAX } from "../limits.js";
import type { Contribution, LoadedPlugin } from "../wire/frames.js";
import { say, words } from "./output.js";

type Handler = (event: PluginEvent) => unknown;

export interface Registration {
  readonly plugin: string;
  readonly handlers: ReadonlyMap<string, readonly Handler[]>;
  readonly tools: ReadonlyMap<string, PluginTool>;
  readonly commands: ReadonlyMap<string, PluginCommand>;
  readonly platforms: ReadonlyMap<string, PluginPlatform>;
  describe(): Contribution;
}

export function createRegistration({ name, version, storage }: LoadedPlugin): { api: PluginApi; made: Registration } {
  const handlers = new Map<string, Handler[]>();
  const tools = new Map<string, PluginTool>();
  const commands = new Map<string, PluginCommand>();
  const platforms = new Map<string, PluginPlatform>();
  const api: PluginApi = {
    name,
    version,
    storage,
    on(hook: string, handler: (event: never) => unknown) {
      expect(isText(hook, 64), "on: a hook's name is a short string");
      expect(typeof handler === "function", `on(${hook}): the handler is not a function`);
      const known = handlers.get(hook) ?? [];
      expect(known.length < CONTRIBUTIONS_MAX, `on(${hook}): more than ${CONTRIBUTIONS_MAX} handlers`);
      handlers.set(hook, [...known, handler as Handler]);
      expect(handlers.size <= CONTRIBUTIONS_MAX, `on: more than ${CONTRIBUTIONS_MAX} hooks`);
    },
    tool(tool) {
      checkTool(tool);
      put(tools, "tool", tool);
    },
    command(command) {
      expect(/^[a-z][a-z0-9-]{0,31}$/.test(command?.name), `command: ${NAME_RULE("-")}`);
      expect(isText(command.summary, 200), `command ${command.name}: it needs a summary of at most 200 characters`);
      expect(
        command.takes === undefined || isText(command.takes, 100),
        `command ${command.name}: takes is a short text`,
      );
      expect(typeof command.run === "function", `command ${command.name}: run is not a function`);
      put(commands, "command", command);
    },
    platform(platform) {
      expect(/^[a-z][a-z0-9-]{0,31}$/.test(platform?.name), `platform: ${NAME_RULE("-")}`);
      checkPlatform(platform);
      put(platforms, "platform", platform);
    },
    log: (...values) => say(name, words(values)),
  };
  const describe = (): Contribution => ({
    hooks: [...handlers.keys()],
    tools: [...tools.values()].map(describeTool),
    commands: [...commands.values()].map((one) => ({
      name: one.name,
      summary: one.summary,
      ...defined({ takes: one.takes }),
    })),
    platforms: [...platforms.values()].map(describePlatform),
  });
  return { api, made: { plugin: name, handlers, tools, commands, platforms, describe } };
}

function checkPlatform(platform: PluginPlatform): void {
  const { name, summary, open, textCharsMax, chatEveryMs, editEveryMs } = platform;
  expect(summary === undefined || isText(summary, 200), `platform ${name}: summary is a short text`);
  expect(textCharsMax === undefined || textCharsMax >= 100, `platform ${name}: textCharsMax is a number from 100 on`);
  const isTime = (value: unknown): boolean => value === undefined || (typeof value === "number" && value >= 0);
  expect(isTime(chatEveryMs) && isTime(editEveryMs), `platform ${name}: its times are milliseconds`);
  expect(open === undefined || typeof open === "function", `platform ${name}: open is not a function`);
}

function describePlatform(platform: PluginPlatform): Contribution["platforms"][number] {
  const { name, summary, textCharsMax, chatEveryMs, editEveryMs, isIdempotent, open } = platform;
  const opens = open === undefined ? undefined : true;
  return { name, ...defined({ summary, textCharsMax, chatEveryMs, editEveryMs, isIdempotent, opens }) };
}

function checkTool(tool: PluginTool): void {
  expect(/^[a-z][a-z0-9_]{0,63}$/.test(tool?.name), `tool: ${NAME_RULE("_")}`);
  const at = `tool ${tool.name}`;
  expect(isText(tool.description, 4_000), `${at}: it needs a description of at most 4000 characters`);
  expect(typeof tool.run === "function", `${at}: run is not a function`);
  expect(tool.effect === undefined || EFFECTS.includes(tool.effect), `${at}: effect is one of ${EFFECTS.join(", ")}`);
  const seconds = tool.timeSeconds ?? TOOL_SECONDS_DEFAULT;
  expect(
    seconds > 0 && seconds <= TOOL_SECONDS_MAX,
    `${at}: timeSeconds is more than 0 and at most ${TOOL_SECONDS_MAX}`,
  );
  const input: unknown = tool.input ?? EMPTY_INPUT;
  const isObject = typeof input === "object" && input !== null && (input as { type?: unknown }).type === "object";
  expect(isObject, `${at}: input is a JSON Schema with type: "object"`);
  expect(
    JSON.stringify(input).length <= SCHEMA_CHARS_MAX,
    `${at}: input is longer than ${SCHEMA_CHARS_MAX} characters`,
  );
}

function describeTool(tool: PluginTool): Contribution["tools"][number] {
  const { name, description, input, effect = "at-most-once", timeSeconds = TOOL_SECONDS_DEFAULT } = tool;
  return { name, description, input: input ?? EMPTY_INPUT, effect, timeSeconds };
}

const EFFECTS = ["read-only", "idempotent", "at-most-once"];
const EMPTY_INPUT = { type: "object", properties: {}, additionalProperties: false };
const NAME_RULE = (mark: string): string =>
  `its name begins with a lower-case letter, then lower-case letters, digits and "${mark}"`;

function put<T extends { readonly name: string }>(kept: Map<string, T>, kind: string, one: T): void {
  expect(!kept.has(one.name), `${kind} ${one.name} was registered twice`);
  expect(kept.size < CONTRIBUTIONS_MAX, `more than ${CONTRIBUTIONS_MAX} of ${kind}`);
  kept.set(one.name, one);
}

function isText(value: unknown, charsMax: number): boolean {
  return typeof value === "string" && value.trim() !== "" && value.length <= charsMax;
}

function defined<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

function expect(condition: boolean, message: string): void {
  if (!condition) throw new TypeError(message);
}
