/** A list or a map of `config.yaml` as a plain value, and the places of its parts. */
import { type Document, isAlias, isMap, isScalar, isSeq, type Node } from "yaml";

/** Aliases can make a short text endless; no setting needs as much as this. */
export const STRUCTURE_NODES_MAX = 5_000;

/** Undefined when there is more than a setting can be. */
export function plainValue(node: Node | null, document: Document): { readonly value: unknown } | undefined {
  let count = 0;
  const convert = (raw: unknown): unknown => {
    if (++count > STRUCTURE_NODES_MAX) throw EXCESS;
    const found = resolved(raw, document);
    if (isMap(found)) return Object.fromEntries(found.items.map(({ key, value }) => [keyText(key), convert(value)]));
    if (isSeq(found)) return found.items.map((item) => convert(item));
    return isScalar(found) ? found.value : null;
  };
  try {
    return { value: convert(node) };
  } catch (error) {
    // An alias inside of what it names has no end, and the stack tells so first.
    if (error === EXCESS || error instanceof RangeError) return undefined;
    throw error;
  }
}

const EXCESS = new Error("more than a setting can be");

/** Where a part begins in the text: the nearest there is, since what is missing has no place of its own. */
export function offsetAt(
  node: Node | null,
  document: Document,
  { path, isKey }: { readonly path: readonly PropertyKey[]; readonly isKey: boolean },
): number | undefined {
  let offset = node?.range?.[0];
  let here: unknown = node;
  for (const [depth, step] of path.entries()) {
    const container = resolved(here, document);
    const pair = isMap(container) ? container.items.find(({ key }) => keyText(key) === String(step)) : undefined;
    const next = isSeq(container) ? container.items[Number(step)] : pair?.value;
    const isLast = depth === path.length - 1;
    const target = (isLast && isKey) || next === null ? (pair?.key ?? next) : next;
    if (target === undefined) break;
    offset = (target as Node | null)?.range?.[0] ?? offset;
    here = next;
  }
  return offset;
}

function resolved(raw: unknown, document: Document): unknown {
  return isAlias(raw) ? raw.resolve(document) : raw;
}

function keyText(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}
