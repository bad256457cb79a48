import type { Guard } from "../tool.js";

export interface CommandPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly personHome: string;
  readonly hostPid?: number;
}

export function judgeCommand(_command: string, _places?: CommandPlaces, _stdin?: string): Guard {
  return { kind: "ask", grant: "terminal:any", why: "runs a command" };
}
