/** The examination of the host: whether one runs, answers, is well, and is as new as this program. */
import { type Examination, type ExamineRequest, fail, ok, warn } from "./doctor-finding.js";
import { readCrashRecord } from "./host/crash-record.js";
import { findHost } from "./host/find-host.js";
import { crashRecordPath } from "./host/open-home.js";

export async function examineHost({ home, clock, version }: ExamineRequest): Promise<Examination> {
  const found = await findHost({ home, clock, version });
  switch (found.kind) {
    case "none":
      return noneFinding(readCrashRecord(crashRecordPath(home.run)).running !== null);
    case "other":
      return ok("host", "none runs: another program has the home");
    case "silent":
      return fail("host", `process ${found.pid} has the home and does not answer`, "talaria host stop --force");
    case "answers": {
      const { line, hello } = found.greeted;
      const status = await line.call("host.status", {}).finally(() => line.close());
      const who = `process ${status.pid}, Talaria ${status.version}`;
      if (status.safe_mode) {
        const text = `${who}: it crashed ${status.safe_mode.crashes} times within five minutes and runs no turns`;
        return warn("host", text, "talaria logs may tell why; talaria host restart --reset tries again");
      }
      if (hello.is_newer_client === true)
        return warn("host", `${who}, older than this program`, "talaria host restart");
      return ok("host", `${who}, ${status.working} turns working, ${status.waiting} waiting`);
    }
  }
}

function noneFinding(hasCrashed: boolean): Examination {
  const text = "none runs; whoever needs one starts it";
  return hasCrashed ? ok("host", `${text}. The last one ended without saying so`) : ok("host", text);
}
