/** Imports a TypeScript script in this process; `process.argv` is the caller's to set. */
export function runTs(script: string): Promise<void>;
/** Bundles a TypeScript script once and returns the path of the JavaScript module, for `node <path>`. */
export function bundleTs(script: string): Promise<string>;
