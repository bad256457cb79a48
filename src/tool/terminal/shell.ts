/** The shell that commands run in: bash where there is one, for that is what models write for; else sh. */
import { existsSync } from "node:fs";

const BASH_PLACES = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"];

export function findShell(): string {
  return BASH_PLACES.find((path) => existsSync(path)) ?? "/bin/sh";
}
