/** The store behind threads keeps the same contract as the one in this thread. */
import { describeSessionStore } from "#session/store.contract.js";
import { behindThreads } from "../../../test/support/sqlite-stores.js";

describeSessionStore("SQLite behind threads", behindThreads);
