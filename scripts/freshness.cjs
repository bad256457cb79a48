"use strict";
/*
 * Answers two questions without touching anything: are the installed packages those of the lockfile,
 * and was dist/ built from the sources that are here? Both answers cost a few milliseconds, since every
 * `npm start` asks. Uses only Node's own modules, because it runs before any package is installed.
 */
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

const INSTALL_STAMP = path.join("node_modules", ".talaria-lock");
const BUILD_STAMP = path.join("dist", ".build.json");
/** Files besides src/ that change what a build produces. */
const BUILD_INPUTS = [
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "scripts/build.mjs",
  "scripts/freshness.cjs",
];
const NOT_BUILT = /\.(test|contract)\.tsx?$/;

/** What the packages should be: the lockfile's content, and the platform whose binaries were chosen. */
function installFingerprint(root) {
  const lockfile = fs.readFileSync(path.join(root, "package-lock.json"));
  return `${createHash("sha256").update(lockfile).digest("hex")} ${process.platform}-${process.arch}`;
}

/** The stamp is written after an install has ended and removed before one begins, so half of one never counts. */
function isInstalled(root) {
  return readText(path.join(root, INSTALL_STAMP)) === installFingerprint(root);
}

/**
 * True when npm itself finished an install of exactly this lockfile, but without us (`npm ci` by hand, a
 * cached folder in CI). npm writes its hidden lockfile last. Only packages for other platforms may be absent.
 */
function isInstalledByHand(root) {
  const done = readJson(path.join(root, "node_modules", ".package-lock.json"))?.packages;
  const wanted = readJson(path.join(root, "package-lock.json"))?.packages;
  if (!done || !wanted) return false;
  return Object.entries(wanted).every(([name, entry]) => {
    if (name === "") return true;
    const present = done[name];
    if (!present) return entry.optional === true;
    return present.version === entry.version && fs.existsSync(path.join(root, name));
  });
}

/** Name, size and time of every file a build reads. A content hash would cost ten times as much and tell no more. */
function buildFingerprint(root) {
  const hash = createHash("sha256");
  const add = (file) => {
    const stat = fs.statSync(path.join(root, file), { throwIfNoEntry: false });
    if (stat) hash.update(`${file}\0${stat.size}\0${stat.mtimeMs}\n`);
  };
  for (const file of BUILD_INPUTS) add(file);
  for (const file of sourceFiles(root, "src")) add(file);
  return hash.digest("hex");
}

/** The stamp is written last, so a killed build is simply not fresh. A lost output file is noticed too. */
function isBuilt(root) {
  const stamp = readJson(path.join(root, BUILD_STAMP));
  if (stamp?.fingerprint !== buildFingerprint(root)) return false;
  return stamp.files.every((file) => fs.existsSync(path.join(root, "dist", file)));
}

function sourceFiles(root, folder) {
  const found = [];
  const entries = fs.readdirSync(path.join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...sourceFiles(root, file));
    else if (!NOT_BUILT.test(entry.name)) found.push(file);
  }
  return found;
}

function readText(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** A file that does not parse counts as absent: every stamp can be made again. */
function readJson(file) {
  const text = readText(file);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

module.exports = {
  BUILD_STAMP,
  INSTALL_STAMP,
  buildFingerprint,
  installFingerprint,
  isBuilt,
  isInstalled,
  isInstalledByHand,
  readJson,
};
