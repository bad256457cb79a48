import { describe, expect, it } from "vitest";
import { readTrace } from "./sync-order.js";

const WRITE = '7 pwrite64(21</h/state.db-wal>, "x"..., 4096, 56) = 4096';
const SYNC = "7 fdatasync(21</h/state.db-wal>) = 0";
const ANSWER = '5 write(1<pipe:[1]>, "{\\"t\\":\\"ack\\",\\"n\\""..., 30) = 30';
const CALL = '5 write(1<pipe:[1]>, "{\\"t\\":\\"call\\",\\"n"..., 30) = 30';

describe("a trace of disk syncs", () => {
  it("accepts an answer after a sync of the log that returned", () => {
    const report = readTrace([CALL, WRITE, SYNC, ANSWER].join("\n"));
    expect(report).toEqual({ answers: 1, syncs: 1, violations: [] });
  });

  it("accepts a sync that another thread interrupted in the trace", () => {
    const begun = "7 fdatasync(21</h/state.db-wal> <unfinished ...>";
    const returned = "7 <... fdatasync resumed>) = 0";
    expect(readTrace([WRITE, begun, CALL, returned, ANSWER].join("\n")).violations).toEqual([]);
    expect(readTrace([WRITE, begun, ANSWER, returned].join("\n")).violations).toHaveLength(1);
  });

  it.each([
    ["nothing was synced", [WRITE, ANSWER]],
    ["the log grew after its sync", [WRITE, SYNC, WRITE, ANSWER]],
    ["another file was synced", [WRITE, SYNC.replace("state.db-wal", "search.db-wal"), ANSWER]],
    ["the sync failed", [WRITE, "7 fdatasync(21</h/state.db-wal>) = -1 EIO (Input/output error)", ANSWER]],
    ["nobody was answered", [WRITE, SYNC]],
  ])("complains when %s", (_, lines) => {
    expect(readTrace(lines.join("\n")).violations).toHaveLength(1);
  });
});
