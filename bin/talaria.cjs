#!/usr/bin/env node
// The launcher. CommonJS and almost empty on purpose: `--version` is answered here for little more than
// the price of starting Node; everything else is one import() away. The syntax stays old, so that an old
// Node reaches the message that asks for a newer one.
"use strict";

var pkg = require("../package.json");
var NODE_MIN = [20, 19];

function main() {
  var args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) return say(1, pkg.version + "\n");

  var node = process.versions.node.split(".").map(Number);
  if (node[0] < NODE_MIN[0] || (node[0] === NODE_MIN[0] && node[1] < NODE_MIN[1])) {
    return fail(
      "this is Node " + process.versions.node + ", and Talaria needs Node " + NODE_MIN.join(".") + " or newer",
      "install a newer Node from https://nodejs.org, then try again",
    );
  }

  var entry = require("node:path").join(__dirname, "..", "dist", "main.js");
  if (!require("node:fs").existsSync(entry)) {
    return fail("the program is not built yet", "run `npm start` (it builds first), or `npm run build`");
  }

  enableCompileCache();
  import(require("node:url").pathToFileURL(entry).href)
    .then((program) => program.main(args))
    .then(
      (code) => {
        // Not process.exit: Node leaves by itself once everything written has left, so no output is cut.
        process.exitCode = code;
      },
      (error) => {
        process.exitCode = 1;
        process.stderr.write("talaria: " + (error instanceof Error ? error.stack : error) + "\n");
      },
    );
}

// Node 22 and newer keep compiled code between runs. The folder is the person's own: Node's default is
// the shared temporary folder, where somebody else could plant code.
function enableCompileCache() {
  var enable = require("node:module").enableCompileCache;
  if (!enable || process.env.NODE_COMPILE_CACHE) return;
  var path = require("node:path");
  var cache = process.env.XDG_CACHE_HOME || path.join(require("node:os").homedir(), ".cache");
  if (path.isAbsolute(cache)) enable(path.join(cache, "talaria", "compiled"));
}

function fail(message, hint) {
  process.exitCode = 1;
  say(2, "talaria: " + message + "\n  " + hint + "\n");
}

// Written directly: making process.stdout costs more than the rest of this file.
function say(descriptor, text) {
  try {
    require("node:fs").writeSync(descriptor, text);
  } catch (error) {
    // A reader that has gone away (EPIPE) wants no answer; a busy pipe (EAGAIN) needs the stream.
    if (error.code === "EAGAIN") (descriptor === 1 ? process.stdout : process.stderr).write(text);
    else if (error.code !== "EPIPE") throw error;
  }
}

main();
