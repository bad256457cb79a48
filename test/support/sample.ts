/**
 * What takes long runs in part by default and whole with TALARIA_LONG=1: every third case, beginning with the first, so
 * that the same ones run everywhere.
 */
export function sample<T>(cases: readonly T[]): readonly T[] {
  return process.env["TALARIA_LONG"] === undefined ? cases.filter((_, at) => at % 3 === 0) : cases;
}
