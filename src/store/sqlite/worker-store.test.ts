/** The store behind threads keeps the same contract as the one in this thread, which runs all of it. */
import { describe } from "vitest";
import { describeSessionStore } from "#session/store.contract.js";
import { sampleSuite } from "../../../test/support/sample.js";
import { behindThreads } from "../../../test/support/sqlite-stores.js";

sampleSuite(describe("a store of two threads", () => describeSessionStore("SQLite behind threads", behindThreads)));
