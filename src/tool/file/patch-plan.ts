/**
 * What a patch does to the file system, planned whole before anything is written: either every part of it fits, or
 * nothing happens. Parts that were applied before are recognised, so that a patch that was interrupted between two
 * files goes on where it was.
 */
import { unreachable } from "#base/errors.js";
import type { GuardContext } from "../tool.js";
import type { Edit, EditPlan } from "./edit.js";
import { planEdit } from "./edit.js";
import { describePlan } from "./edit-words.js";
import { planHunk } from "./hunk-edit.js";
import type { FileChange } from "./patch-text.js";
import { failed, findPlace, missing, nameOf } from "./place.js";
import { loadText, reassemble, type TextFile } from "./text-file.js";

export type Wish = FileChange | { readonly kind: "edit"; readonly path: string; readonly edit: Edit };

/** One file after the patch. */
export interface PlannedFile {
  readonly path: string;
  readonly name: string;
  /** Undefined: there was none. */
  readonly before: string | undefined;
  /** Undefined: it goes. */
  readonly after: string | undefined;
  /** What is written, in the form the file has. */
  readonly content: string;
  readonly mode: number | undefined;
  readonly notes: readonly string[];
}

export type PatchPlan =
  | { readonly kind: "planned"; readonly files: readonly PlannedFile[] }
  | { readonly kind: "refused"; readonly why: string };

/** `finished`: real paths of files that an earlier run of the same call has written. */
export async function planPatch(
  wishes: readonly Wish[],
  context: GuardContext,
  finished: ReadonlySet<string> = new Set(),
): Promise<PatchPlan> {
  const draft = new Draft(context, finished);
  for (const wish of wishes) {
    const why = await draft.apply(wish);
    if (why !== undefined) return { kind: "refused", why };
  }
  return { kind: "planned", files: draft.files() };
}

interface DraftFile {
  readonly path: string;
  readonly name: string;
  readonly origin: TextFile | undefined;
  text: string | undefined;
  mode: number | undefined;
  notes: string[];
}

/** Files as they would be; a file that several parts of a patch name is changed by each in turn. */
class Draft {
  readonly #files = new Map<string, DraftFile>();
  readonly #context: GuardContext;

  readonly #finished: ReadonlySet<string>;

  constructor(context: GuardContext, finished: ReadonlySet<string>) {
    this.#context = context;
    this.#finished = finished;
  }

  files(): PlannedFile[] {
    return [...this.#files.values()].map(({ path, name, origin, text, mode, notes }) => {
      const form = origin ?? { hasMark: false, isCrLf: false };
      return { path, name, before: origin?.text, after: text, content: reassemble(text ?? "", form), mode, notes };
    });
  }

  /** Answers why it does not fit, if so. */
  async apply(wish: Wish): Promise<string | undefined> {
    const file = await this.#open(wish.path);
    if (typeof file === "string") return file;
    const isMoving = wish.kind === "update" && wish.moveTo !== undefined;
    if (!isMoving && this.#finished.has(file.path)) return finish(file);
    switch (wish.kind) {
      case "add":
        return add(file, wish.content);
      case "delete":
        if (file.text === undefined) file.notes.push(`${file.name} is gone already`);
        file.text = undefined;
        return undefined;
      case "edit":
        return this.#change(file, [(text) => planEdit(text, wish.edit)]);
      case "update":
        return this.#update(file, wish);
      default:
        return unreachable(wish);
    }
  }

  async #update(file: DraftFile, { hunks, moveTo }: Extract<Wish, { kind: "update" }>): Promise<string | undefined> {
    const steps = hunks.map((hunk) => (text: string) => planHunk(text, hunk));
    if (moveTo === undefined) return this.#change(file, steps);
    const target = await this.#open(moveTo);
    if (typeof target === "string") return target;
    if (this.#finished.has(target.path)) {
      if (target !== file) file.text = undefined;
      return finish(target);
    }
    // Gone from the one place and there in the other: moved before; its hunks then tell that they are applied.
    if (file.text === undefined && target.text !== undefined) return this.#change(target, steps);
    if (target.text !== undefined && target !== file) return `${target.name} exists already; nothing is moved over it.`;
    const why = await this.#change(file, steps);
    if (why !== undefined || target === file) return why;
    Object.assign(target, { text: file.text, mode: file.mode });
    target.notes.push(`moved from ${file.name}`);
    file.text = undefined;
    return undefined;
  }

  async #change(file: DraftFile, steps: readonly ((text: string) => EditPlan)[]): Promise<string | undefined> {
    if (file.text === undefined) return (await missing(file.path, this.#context.cwd)).text;
    for (const [index, step] of steps.entries()) {
      const plan = step(file.text);
      const where = steps.length === 1 ? file.name : `${file.name}, hunk ${index + 1}`;
      const { isFitting, words } = describePlan(plan, where);
      if (!isFitting) return words;
      if (words !== "") file.notes.push(words);
      if (plan.kind === "edited") file.text = plan.text;
    }
    return undefined;
  }

  async #open(path: string): Promise<DraftFile | string> {
    const place = await findPlace(path, "write", this.#context);
    if (place.kind === "refused") return failed(`${path} is not written: ${place.why}.`).text;
    const known = this.#files.get(place.path);
    if (known !== undefined) return known;
    const name = nameOf(place.path, this.#context.cwd);
    const loaded = await loadText(place.path);
    if (loaded.kind === "unfit") return `${name} cannot be patched: it ${loaded.why}.`;
    const origin = loaded.kind === "text" ? loaded.file : undefined;
    const file = { path: place.path, name, origin, text: origin?.text, mode: origin?.mode, notes: [] };
    this.#files.set(place.path, file);
    return file;
  }
}

function finish(file: DraftFile): undefined {
  const words = `already applied in ${file.name} by the run that was cut off`;
  if (!file.notes.includes(words)) file.notes.push(words);
}

function add(file: DraftFile, content: string): string | undefined {
  if (file.text === content) file.notes.push(`${file.name} is there already`);
  else if (file.text !== undefined)
    return `${file.name} exists already with other content; update it instead of adding it.`;
  file.text = content;
  return undefined;
}
