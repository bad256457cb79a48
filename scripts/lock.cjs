"use strict";
/*
 * A lock between two bootstraps of one checkout: a folder, because mkdir is atomic everywhere. The holder
 * touches it while it works; a waiter takes it over when the holder is dead, or when the touching has
 * stopped for STILL_MS of the waiter's own time (so neither a reused pid, nor a container's pid, nor a
 * clock that jumps can keep it for ever). A child that outlived its killed holder, such as an npm in the
 * middle of an install, is waited for longer: two of them at once would spoil each other's work.
 */
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { readJson } = require("./freshness.cjs");

const TOUCH_MS = 1_000;
const STILL_MS = 15_000;
const STILL_WITH_CHILD_MS = 5 * 60_000;
const POLL_MS = 100;
const WAIT_MAX_MS = 15 * 60_000;

/**
 * Runs `work` while holding the lock; `work` is given a function that notes the pid of a child that works
 * for it. `onWait` is told once, when somebody else holds the lock.
 */
async function withLock(folder, onWait, work) {
  const release = await acquire(folder, onWait);
  try {
    return await work((child) => writeOwner(folder, child));
  } finally {
    release();
  }
}

async function acquire(folder, onWait) {
  fs.mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  const startedAt = performance.now();
  let seen = { heartbeat: "", at: startedAt };
  let waits = false;
  while (!tryTake(folder)) {
    const now = performance.now();
    const heartbeat = readHeartbeat(folder);
    if (heartbeat !== seen.heartbeat) seen = { heartbeat, at: now };
    if (now - seen.at > patienceMs(folder)) {
      takeAway(folder, heartbeat);
      continue;
    }
    if (now - startedAt > WAIT_MAX_MS) {
      throw new Error(`another npm start or npm test has held ${folder} for too long; end it, or remove that folder`);
    }
    if (!waits) onWait(readJson(path.join(folder, "owner.json"))?.pid);
    waits = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return hold(folder);
}

function tryTake(folder) {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
  writeOwner(folder);
  return true;
}

function writeOwner(folder, child) {
  fs.writeFileSync(path.join(folder, "owner.json"), JSON.stringify({ pid: process.pid, child, host: os.hostname() }));
}

function hold(folder) {
  const timer = setInterval(() => {
    const now = new Date();
    // A lock that was taken away from us is no reason to fail: the work itself is atomic.
    fs.utimes(folder, now, now, () => {});
  }, TOUCH_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    const owner = readJson(path.join(folder, "owner.json"));
    if (owner?.pid === process.pid && owner.host === os.hostname()) fs.rmSync(folder, { recursive: true, force: true });
  };
}

/** Which lock this is and when it was last touched: a new holder's folder is another inode. */
function readHeartbeat(folder) {
  const stat = fs.statSync(folder, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.mtimeMs}` : "";
}

/** How long the lock may lie untouched before it is taken away; below zero: at once. */
function patienceMs(folder) {
  const owner = readJson(path.join(folder, "owner.json"));
  if (owner?.host !== os.hostname()) return STILL_MS;
  if (owner.child && isAlive(owner.child)) return STILL_WITH_CHILD_MS;
  return isAlive(owner.pid) ? STILL_MS : -1;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== "ESRCH";
  }
}

/**
 * Two waiters may judge the same lock dead. The rename lets one of them win; the other finds either
 * nothing, or a new holder's folder, which it does not touch because the heartbeat differs.
 */
function takeAway(folder, heartbeat) {
  if (heartbeat === "" || readHeartbeat(folder) !== heartbeat) return;
  const aside = `${folder}.${process.pid}`;
  try {
    fs.renameSync(folder, aside);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  fs.rmSync(aside, { recursive: true, force: true });
}

module.exports = { withLock };
