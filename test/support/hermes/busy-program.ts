/** A hermes-agent at work: keeps its database open and says one message after the other, until it is killed. */
import { hermesHome } from "./home.js";

const [dir, mode] = process.argv.slice(2);
const home = hermesHome(dir === undefined ? {} : { dir });
if (mode === "once") {
  home.message({ session_id: "busy", content: "once" });
  home.keep();
  process.stdout.write("begun\n");
  setInterval(() => undefined, 1_000);
}
for (let index = 0; mode !== "once"; index++) {
  home.message({ session_id: "busy", content: `message ${index} ${"x".repeat(500)}` });
  home.keep();
  if (index === 20) process.stdout.write("begun\n");
  await new Promise((resolve) => setImmediate(resolve));
}
