#!/usr/bin/env node
"use strict";
/*
 * What `npm start`, `npm test` and the other npm scripts run: installs the packages and builds dist/ when
 * they are missing or out of date, then goes on in the same process with the arguments it was given.
 * Uses only Node's own modules, says nothing when there is nothing to do, and writes to stderr only,
 * so that the output of `npm start --silent -- … --json` is the program's own.
 *
 *   node scripts/bootstrap.cjs start|test|check|bench|chaos|build [arguments]
 */
// What only an install or a build needs is required there: every start pays for what is required here.
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const fresh = require("./freshness.cjs");

const ROOT = path.dirname(__dirname);
const LOCK = path.join(ROOT, ".talaria", "bootstrap.lock");
const NODE_MIN = [20, 19];
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
/** What each mode runs once packages and dist are there; `start` is the program itself. */
const SCRIPTS = {
  test: ["scripts/check.ts", "--as", "test"],
  check: ["scripts/check.ts", "--as", "check"],
  bench: ["bench/main.ts"],
  chaos: ["test/chaos/main.ts"],
};

async function main([mode, ...args]) {
  if (mode !== "start" && mode !== "build" && !(mode in SCRIPTS)) {
    fail(`unknown mode ${JSON.stringify(mode ?? "")}`, `use one of: start, build, ${Object.keys(SCRIPTS).join(", ")}`);
  }
  requireNode();
  if (!fresh.isInstalled(ROOT) || !fresh.isBuilt(ROOT)) await prepare();
  if (mode === "start") return startProgram(args);
  if (mode !== "build") return runScript(mode, args);
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  fail(
    `Node ${process.versions.node} is too old`,
    `install Node ${NODE_MIN.join(".")} or newer (20, 22 and 24 are tested)`,
  );
}

/** Looks again once it holds the lock: whoever held it before may have done the work. */
async function prepare() {
  const { withLock } = require("./lock.cjs");
  await withLock(LOCK, tellWait, async (noteChild) => {
    if (!fresh.isInstalled(ROOT)) await install(noteChild);
    if (!fresh.isBuilt(ROOT)) await build(noteChild);
  });
}

function tellWait(pid) {
  say(`waiting for another install or build${pid ? ` (process ${pid})` : ""} …`);
}

async function install(noteChild) {
  const stamp = path.join(ROOT, fresh.INSTALL_STAMP);
  if (!fs.existsSync(stamp) && fresh.isInstalledByHand(ROOT)) return writeInstallStamp(stamp);
  say("installing packages (once) …");
  fs.rmSync(stamp, { force: true });
  // Development packages are part of the build, also where NODE_ENV says production.
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const [command, ...before] = npmCommand();
  const code = await run(command, [...before, ...args], npmEnvironment(), noteChild);
  if (code !== 0) {
    fail(
      `npm ci failed (exit code ${code})`,
      "read npm's message above; check the network and the registry, then run this again",
    );
  }
  writeInstallStamp(stamp);
}

function writeInstallStamp(stamp) {
  fs.writeFileSync(stamp, fresh.installFingerprint(ROOT));
}

async function build(noteChild) {
  say("building …");
  const code = await run(process.execPath, [path.join(ROOT, "scripts", "build.mjs")], process.env, noteChild);
  if (code !== 0)
    fail(`the build failed (exit code ${code})`, "the message above names the file and line; nothing was replaced");
}

/** The npm that called us when there is one, so that no second one needs to be on the PATH. */
function npmCommand() {
  const calling = process.env.npm_execpath;
  return calling && /npm-cli\.c?js$/.test(calling) ? [process.execPath, calling] : ["npm"];
}

/** Options given to the outer npm are about `start` or `test`, not about the install inside it. */
function npmEnvironment() {
  const env = { ...process.env };
  for (const name of Object.keys(env)) {
    if (
      /^npm_config_(prefix|local_prefix|global|dry_run|omit|include|only|production|workspaces?|ignore_scripts)$/i.test(
        name,
      )
    ) {
      delete env[name];
    }
  }
  if (!env.HOME)
    env.npm_config_cache ??= path.join(require("node:os").tmpdir(), `talaria-npm-${process.getuid?.() ?? "cache"}`);
  return env;
}

/** Runs a child with its output on our stderr. A signal to us goes to it, and then ends us as well. */
function run(command, args, env, noteChild) {
  return new Promise((resolve, reject) => {
    const child = require("node:child_process").spawn(command, args, { cwd: ROOT, env, stdio: ["ignore", 2, 2] });
    if (child.pid) noteChild(child.pid);
    let received;
    const forward = (signal) => {
      received = signal;
      child.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, forward);
    child.on("error", (error) => reject(new Error(`${command} could not be started: ${error.message}`)));
    child.on("exit", (code, signal) => {
      for (const name of SIGNALS) process.off(name, forward);
      if (received) return reject(new Stopped(received));
      resolve(code ?? 128 + require("node:os").constants.signals[signal]);
    });
  });
}

/** In this process, as its main module: a second Node would cost more than the program's own start. */
function startProgram(args) {
  const program = path.join(ROOT, "bin", "talaria.cjs");
  process.argv = [process.argv[0], program, ...args];
  Module.runMain();
}

async function runScript(mode, args) {
  const [script, ...before] = SCRIPTS[mode];
  if (!fs.existsSync(path.join(ROOT, script)))
    fail(`${script} does not exist yet`, `there is nothing to run for "${mode}"`);
  process.argv = [process.argv[0], path.join(ROOT, script), ...before, ...args];
  process.chdir(ROOT);
  const { runTs } = await import("./run-ts.mjs");
  await runTs(path.join(ROOT, script));
}

class Stopped extends Error {
  constructor(signal) {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + require("node:os").constants.signals[signal];
  }
}

class Failed extends Error {
  constructor(message, hint) {
    super(`${message}\n         ${hint}`);
    this.exitCode = 1;
  }
}

function fail(message, hint) {
  throw new Failed(message, hint);
}

function say(text) {
  process.stderr.write(`talaria: ${text}\n`);
}

main(process.argv.slice(2)).catch((error) => {
  say(error.exitCode ? error.message : (error.stack ?? String(error)));
  process.exitCode = error.exitCode ?? 1;
});
