/**
 * Model servers on this machine, found by asking their default ports. All at once and briefly: somebody waits for a
 * prompt meanwhile, and most ports are closed.
 */
import { getJson, type HttpParts } from "./http-json.js";
import { field } from "./json-field.js";
import { type ListedModel, modelsIn } from "./list-models.js";
import type { ProviderName } from "./model.js";

export const LOCAL_PROBE_MS = 700;

export interface LocalServer {
  readonly kind: "ollama" | "lm-studio" | "llama.cpp" | "vllm" | "other";
  /** As it goes into the settings. */
  readonly provider: ProviderName;
  readonly baseUrl: string;
  readonly models: readonly ListedModel[];
}

export interface LocalPort {
  readonly kind: LocalServer["kind"];
  readonly port: number;
}

export const LOCAL_PORTS: readonly LocalPort[] = [
  { kind: "ollama", port: 11434 },
  { kind: "lm-studio", port: 1234 },
  { kind: "llama.cpp", port: 8080 },
  { kind: "vllm", port: 8000 },
];

/** In the order of the ports; those that do not answer like a model server are left out. */
export async function findLocalServers(
  parts: HttpParts,
  ports: readonly LocalPort[] = LOCAL_PORTS,
): Promise<readonly LocalServer[]> {
  const found = await Promise.all(ports.map((place) => probe(place, parts)));
  return found.filter((server) => server !== undefined);
}

async function probe({ kind, port }: LocalPort, parts: HttpParts): Promise<LocalServer | undefined> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const answer = await getJson({ url: `${baseUrl}/models`, timeMs: LOCAL_PROBE_MS }, parts);
  if (answer.kind === "failed") return undefined;
  const models = modelsIn(answer.value);
  // Other programs live on these ports, too; only a list of models is one.
  if (models === undefined || (field(answer.value, "object") !== "list" && models.length === 0)) return undefined;
  return { kind: kindOf(kind, answer), provider: kind === "ollama" ? "ollama" : "openai-compatible", baseUrl, models };
}

/** Two of the ports are anybody's: the list names its maker. */
function kindOf(guess: LocalServer["kind"], answer: { readonly value: unknown }): LocalServer["kind"] {
  if (guess === "ollama" || guess === "lm-studio") return guess;
  const owner = field((field(answer.value, "data") as readonly unknown[] | undefined)?.[0], "owned_by");
  if (owner === "llamacpp") return "llama.cpp";
  if (owner === "vllm") return "vllm";
  return owner === "library" ? "ollama" : "other";
}
