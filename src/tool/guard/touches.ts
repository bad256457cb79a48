/**
 * The words of a command as places that it touches, writes, links to or reads whole: what of that is asked about and
 * what is refused. Follows the command from folder to folder.
 */

import { basename } from "node:path";
import type { Kind } from "./ask-first.js";
import type { Redirect } from "./command.js";
import { UNKNOWN } from "./fields.js";
import { ENDS_DISK, findRoots } from "./floor.js";
import { isProcessFolder, looksForInside, mayBeInside, processNamed } from "./insides.js";
import type { Invocation } from "./invocation.js";
import type { Place } from "./places.js";
import { linksMade, type MadeLink, readWhole } from "./reach.js";
import {
  type CommandPlaces,
  holdsHome,
  isBlockDevice,
  isOutside,
  isSystem,
  ownInside,
  pathOf,
  pathsOf,
  placesNamed,
} from "./vital.js";
import { type Written, writtenBy, writtenByRedirects } from "./writes.js";

export const INSIDE = "the insides of other processes are not for commands";
const OWN_FOLDER = "Talaria's own folder is not for commands";
const LINKS_MAX = 64;
const MENTIONS_MAX = 200;
const WORD_CHARS_MAX = 4096;
const STREAMS = /^\/dev\/(?:std(?:in|out|err)|tty|fd\/\d+)$/;

export interface Finding {
  ask(kind: Kind): void;
  refuse(why: string): void;
}

export class Touches {
  places: CommandPlaces & { readonly workspace: string };
  /** Whether the windows into processes were named anywhere. */
  saysProc = false;
  readonly #sink: Finding;

  constructor(places: CommandPlaces, sink: Finding) {
    this.places = { ...places, workspace: places.cwd };
    this.#sink = sink;
  }

  redirects(redirects: readonly Redirect[]): void {
    for (const target of writtenByRedirects(redirects)) this.write({ target, isContent: true });
    for (const { target } of redirects) this.touch(target);
  }

  invocation(invocation: Invocation): void {
    const { name, args, written } = invocation;
    for (const one of writtenBy(invocation)) this.write(one);
    for (const root of readWhole(invocation)) this.readWhole(root);
    for (const link of linksMade(invocation)) this.link(link);
    for (const word of [written, ...args]) this.word(word);
    // What is only printed is read by nobody yet.
    if (name !== "echo" && name !== "printf") for (const word of args) this.mention(word);
    if (name !== "find") return;
    if (looksForInside(args)) for (const root of findRoots(args)) this.#lookForInside(root);
    if (args.includes("-delete")) for (const target of findRoots(args)) this.write({ target, isContent: false });
  }

  move(to: string | undefined): void {
    const cwd = to === undefined ? this.places.personHome : to === "-" ? UNKNOWN : (pathOf(to, this.places) ?? UNKNOWN);
    this.places = { ...this.places, cwd };
  }

  /** `--file=/x`, `if=/x`, `@/x` and `name:/x` name a path as well. */
  word(word: string): void {
    this.touch(word);
    for (const [, path] of word.slice(0, WORD_CHARS_MAX).matchAll(/[=@:,]([^=@:,]+)/g)) this.touch(path ?? "");
  }

  /** Code that puts the name of our folder together with what is in it. */
  code(strings: readonly string[]): void {
    const names = new Set(strings.flatMap((text) => text.toLowerCase().split("/")));
    const isOurs = [this.places.home, this.places.reality?.home ?? this.places.home]
      .map((home) => basename(home).toLowerCase())
      // A name that means something else as well says nothing.
      .some((name) => /^\.|talaria/.test(name) && names.has(name));
    if (!isOurs) return;
    if ([...names].some((name) => /^(?:\.env|state\.db|search\.db|config\.yaml)/.test(name)))
      this.#sink.refuse(OWN_FOLDER);
    else this.#sink.ask("own-home");
  }

  /** A text in which a path of ours stands is for somebody who reads paths out of texts. */
  mention(text: string): void {
    for (const place of ownInside(text, this.places)) {
      if (place.kind === "own" && place.part === "settings") this.#sink.refuse(`${place.what} are not for commands`);
      this.#touchPlace(place);
    }
    if (!/[\s'"]/.test(text)) return;
    for (const piece of text.split(/[\s'"`();,=@:|<>&]+/).slice(0, MENTIONS_MAX)) {
      if (placesNamed(piece, this.places).some(isSecret)) this.#sink.refuse(OWN_FOLDER);
    }
  }

  touch(word: string): void {
    const process = processNamed(word, this.places);
    if (process === "inside" || (this.saysProc && mayBeInside(word, this.places))) this.#sink.refuse(INSIDE);
    else if (process === "process" || mayBeInside(word, this.places)) this.#sink.ask("debug-process");
    for (const place of placesNamed(word, this.places)) this.#touchPlace(place);
  }

  #touchPlace(place: Place): void {
    if (place.kind === "own") {
      if (place.part === "secret") this.#sink.refuse(`${place.what} are not for commands`);
      else if (place.part !== "spool") this.#sink.ask("own-home");
    } else if (place.kind === "credentials") this.#sink.ask("credentials");
    else if (place.kind === "forbidden" && place.what !== "a device") this.#sink.ask("kernel");
  }

  write({ target, isContent, isItself = false }: Written): void {
    const named = placesNamed(target, this.places, isItself);
    const refusal = isBlockDevice(target, this.places) ? ENDS_DISK : refusedWrite(named, isContent);
    if (refusal !== undefined) this.#sink.refuse(refusal);
    else if (/^\/dev\/(?:tcp|udp)\//.test(target)) this.#sink.ask("upload");
    else if (named.some(({ kind }) => kind === "forbidden")) this.#device(target);
    else if (named.some(({ kind }) => kind === "startup")) this.#sink.ask("startup-file");
    else if (isSystem(target, this.places, isItself)) this.#sink.ask("system-write");
    else if (isOutside(target, this.places, isItself)) this.#sink.ask("write-outside");
  }

  readWhole(root: string): void {
    if (isProcessFolder(root, this.places)) this.#sink.refuse(INSIDE);
    const held = holdsHome(root, this.places);
    if (held === "all") this.#sink.refuse(OWN_FOLDER);
    else if (held === "among") this.#sink.ask("home-copy");
  }

  #lookForInside(root: string): void {
    if (isProcessFolder(root, this.places)) this.#sink.refuse(INSIDE);
    else if (pathsOf(root, this.places).includes("/")) this.#sink.ask("debug-process");
  }

  link({ name, target }: MadeLink): void {
    if (placesNamed(target, this.places).some(({ kind }) => kind === "own")) this.#sink.refuse(OWN_FOLDER);
    if (target.startsWith(UNKNOWN) || isOutside(target, this.places)) this.#sink.ask("link-outside");
    const [from, to] = [pathOf(name, this.places), pathOf(target, this.places)];
    if (from === undefined || to === undefined || from === to) return;
    const made = new Map(this.places.made).set(from, to);
    if (made.size <= LINKS_MAX) this.places = { ...this.places, made };
  }

  #device(target: string): void {
    if (!STREAMS.test(target)) this.#sink.ask("device");
  }
}

function isSecret(place: Place): boolean {
  return place.kind === "own" && place.part === "secret";
}

function refusedWrite(places: readonly Place[], isContent: boolean): string | undefined {
  for (const place of places) {
    if (place.kind === "own" && place.part === "settings") return `${place.what} are not written by commands`;
    if (place.kind === "credentials" && isContent) return "other programs keep credentials there";
    if (place.kind === "forbidden" && place.what === "the inside of the kernel") return "it would stop the machine";
  }
  return undefined;
}
