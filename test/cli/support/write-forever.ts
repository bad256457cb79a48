/** Replaces one file again and again until it is killed. */
import { replaceFile } from "#base/atomic-file.js";

const [path] = process.argv.slice(2);
const filling = "x".repeat(200_000);
for (let round = 0; path !== undefined; round++) {
  await replaceFile(path, JSON.stringify({ round, filling }));
  if (round === 0) process.stdout.write("begun\n");
}
