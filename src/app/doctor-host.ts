/** The examination of the host: whether one runs, answers, is well, and is as new as this program. */
import type { Greeted } from "#client/start-host.js";
import { type Examination, type ExamineRequest, fail, ok, warn } from "./doctor-finding.js";
import { readCrashRecord } from "./host/crash-record.js";
import { findHost } from "./host/find-host.js";
import { crashRecordPath } from "./host/open-home.js";

export async function examineHost({ home, clock, version, env }: ExamineRequest): Promise<readonly Examination[]> {
  const found = await findHost({ home, clock, version, env });
  switch (found.kind) {
    case "none":
      return [noneFinding(readCrashRecord(crashRecordPath(home.run)).running !== null)];
    case "other":
      return [ok("host", "none runs: another program has the home")];
    case "silent":
      return [found.isDoorClosed ? stoppingFinding(found.pid) : silentFinding(found.pid)];
    case "answers":
      return runningFindings(found.greeted);
  }
}

function stoppingFinding(pid: number): Examination {
  return ok("host", `process ${pid} is stopping; running turns get their time`);
}

function silentFinding(pid: number): Examination {
  return fail("host", `process ${pid} has the home and does not answer`, "talaria host stop --force");
}

async function runningFindings({ line, hello }: Greeted): Promise<readonly Examination[]> {
  const status = await line.call("host.status", {}).finally(() => line.close());
  const who = `process ${status.pid}, Talaria ${status.version}`;
  const { other_variables: others = [] } = hello;
  const found: Examination[] = [];
  if (status.safe_mode) {
    const text = `${who}: it crashed ${status.safe_mode.crashes} times within five minutes and runs no turns, hooks or plugins`;
    found.push(warn("host", text, "talaria logs may tell why; talaria host restart --reset tries again"));
  }
  if (hello.is_newer_client === true) {
    found.push(warn("host", `${who}, older than this program`, "talaria host restart"));
  }
  if (others.length > 0) {
    const text = `${who}: started with other variables than this shell has: ${others.join(", ")}`;
    found.push(warn("host", text, "a chat that finds it idle replaces it; talaria host restart does so at once"));
  }
  if (status.pages?.error) {
    const text = `${who}: port ${status.pages.port} is not open for pages and editors: ${status.pages.error}`;
    found.push(warn("host", text, "talaria config set host.port NUMBER takes another; then talaria host restart"));
  }
  if (found.length > 0) return found;
  const pages = status.pages ? `, pages on ${status.pages.address}:${status.pages.port}` : "";
  return [ok("host", `${who}, ${status.working} turns working, ${status.waiting} waiting${pages}`)];
}

function noneFinding(hasCrashed: boolean): Examination {
  const text = "none runs; whoever needs one starts it";
  return hasCrashed ? ok("host", `${text}. The last one ended without saying so`) : ok("host", text);
}
