/**
 * What tests import as `fast-check`: the same choices in every run of the gate, so that a change is judged by what it
 * changes. The long form draws fresh ones; a failure prints its seed, and TALARIA_SEED repeats it.
 */
import fc from "../../node_modules/fast-check/lib/fast-check.js";

const SEED = process.env["TALARIA_SEED"] ?? (process.env["TALARIA_LONG"] === undefined ? "20261" : undefined);
if (SEED !== undefined) fc.configureGlobal({ seed: Number(SEED) });

// biome-ignore lint/style/noDefaultExport: it stands for a module that has one.
export default fc;
