/**
 * The enabled plugins and what is known of each: what it registered, what of that is accepted, what is wrong. Keeps the
 * state file in step with it; when that cannot be written, supervision goes on from memory and the log says so.
 */
import type { Clock } from "#base/clock.js";
import { OperationalError, UserError } from "#base/errors.js";
import type { Logger } from "#base/log.js";
import type { PluginRemark } from "./failure.js";
import { accept, isSetAside, setAside, strike, type TakenNames, takeNames } from "./judge.js";
import type { PluginLimits } from "./limits.js";
import type { Manifest } from "./manifest.js";
import type { Shelf } from "./shelf.js";
import { changeState, type PluginState } from "./state.js";
import type { PluginRecord } from "./supervisor.js";
import { type Contribution, NO_CONTRIBUTION } from "./wire/frames.js";

export interface RosterParts {
  readonly pluginsDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: PluginLimits;
  readonly taken: TakenNames;
  readonly state: PluginState;
  readonly shelf: Shelf;
}

export interface Member {
  readonly manifest: Manifest;
  readonly contribution: Contribution;
  readonly isTrusted: boolean;
}

export class Roster implements PluginRecord {
  /** The plugins to load: enabled, with a manifest, not set aside. */
  readonly manifests: readonly Manifest[];
  readonly #parts: RosterParts;
  readonly #offered = new Map<string, Contribution>();
  #state: PluginState;
  #members: readonly Member[] = [];
  #remarks: readonly PluginRemark[] = [];
  #downReason: string | undefined;
  #stored: Promise<void> = Promise.resolve();

  constructor(parts: RosterParts) {
    this.#parts = parts;
    this.#state = parts.state;
    this.manifests = parts.shelf.plugins.flatMap(({ name, found }) =>
      found.kind === "ok" && parts.state.enabled.includes(name) && !isSetAside(parts.state, name)
        ? [found.manifest]
        : [],
    );
    for (const manifest of this.manifests) this.#offered.set(manifest.name, firstGuess(manifest, parts.state));
    this.#review();
  }

  /** Those that were loaded before come first: a newcomer that breaks keeps none of them waiting. */
  get loadOrder(): readonly Manifest[] {
    const isNew = ({ name, version }: Manifest): boolean => this.#state.known[name]?.version !== version;
    return [...this.manifests.filter((one) => !isNew(one)), ...this.manifests.filter(isNew)];
  }

  /** Nothing is known of it but its manifest: what it registers is known when it is loaded. */
  get hasUnknown(): boolean {
    return this.manifests.some(({ name, version }) => this.#state.known[name]?.version !== version);
  }

  /** Those that run, each with what is accepted of it. */
  members(): readonly Member[] {
    return this.#members;
  }

  member(plugin: string): Member | undefined {
    return this.#members.find(({ manifest }) => manifest.name === plugin);
  }

  listed(): readonly { readonly name: string; readonly about: string }[] {
    const broken = brokenOnes(this.#parts.shelf, this.#state).flatMap(({ plugin, text }) =>
      plugin === null ? [] : [{ name: plugin, about: text }],
    );
    const running = this.#members.map(({ manifest: { name, description } }) => ({ name, about: description }));
    return [...running, ...broken].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  remarks(): readonly PluginRemark[] {
    return [...brokenOnes(this.#parts.shelf, this.#state), ...this.#remarks, ...this.#downRemark()];
  }

  async loaded(plugin: string, contribution: Contribution): Promise<void> {
    this.#offered.set(plugin, contribution);
    const version = this.member(plugin)?.manifest.version ?? "";
    await this.#change((state) => {
      const known = { version, contribution };
      if (JSON.stringify(state.known[plugin]) === JSON.stringify(known)) return state;
      return { ...state, known: { ...state.known, [plugin]: known } };
    });
  }

  strike(plugin: string, reason: string): { readonly isSetAside: boolean; readonly stored: Promise<void> } {
    const mishap = { name: plugin, reason, atMs: this.#parts.clock.nowMs() };
    const stored = this.#change((state) => strike(state, mishap, this.#parts.limits));
    return { isSetAside: isSetAside(this.#state, plugin), stored };
  }

  setAside(plugin: string, reason: string): Promise<void> {
    const mishap = { name: plugin, reason, atMs: this.#parts.clock.nowMs() };
    return this.#change((state) => setAside(state, mishap));
  }

  down(reason: string): void {
    this.#downReason = reason;
    this.#review();
  }

  /** In memory at once, on disk one after the other. */
  #change(change: (state: PluginState) => PluginState): Promise<void> {
    this.#state = change(this.#state);
    this.#review();
    this.#stored = this.#stored.then(() => this.#store(change));
    return this.#stored;
  }

  async #store(change: (state: PluginState) => PluginState): Promise<void> {
    try {
      // Others may have changed the file meanwhile: the same change is made to what stands there.
      await changeState(this.#parts.pluginsDir, this.#parts.clock, change);
    } catch (error) {
      if (!isOutage(error)) throw error;
      this.#parts.log.error("the state of the plugins could not be stored", { reason: (error as Error).message });
    }
  }

  /** In the order of their names: the first that offers a name has it. */
  #review(): void {
    const members: Member[] = [];
    const remarks: PluginRemark[] = [];
    let { taken } = this.#parts;
    for (const manifest of this.#downReason === undefined ? this.manifests : []) {
      const { name } = manifest;
      if (isSetAside(this.#state, name)) continue;
      const accepted = accept(this.#offered.get(name) ?? NO_CONTRIBUTION, manifest, taken);
      taken = takeNames(taken, name, accepted.contribution);
      members.push({
        manifest,
        contribution: accepted.contribution,
        isTrusted: this.#state.trusted.includes(name),
      });
      remarks.push(...accepted.remarks);
    }
    this.#members = members;
    this.#remarks = remarks;
  }

  #downRemark(): readonly PluginRemark[] {
    return this.#downReason === undefined ? [] : [{ plugin: null, kind: "broken", text: this.#downReason }];
  }
}

/** What it registered the last time; else what its manifest says it will hear. */
function firstGuess({ name, hooks }: Manifest, { known }: PluginState): Contribution {
  return known[name]?.contribution ?? { ...NO_CONTRIBUTION, hooks: [...(hooks ?? [])] };
}

/** Enabled plugins that do not run. Also what `talaria doctor` says: nothing of a plugin is run to find it out. */
export function brokenOnes(shelf: Shelf, state: PluginState): readonly PluginRemark[] {
  return state.enabled.flatMap((plugin): PluginRemark[] => {
    const shelved = shelf.plugins.find(({ name }) => name === plugin);
    if (shelved === undefined) return [{ plugin, kind: "broken", text: "its folder is gone" }];
    if (shelved.found.kind === "broken") return [{ plugin, kind: "broken", text: shelved.found.problem }];
    const aside = state.setAside.find(({ name }) => name === plugin);
    return aside === undefined ? [] : [{ plugin, kind: "broken", text: `set aside: ${aside.reason}` }];
  });
}

function isOutage(error: unknown): boolean {
  return (
    error instanceof OperationalError ||
    error instanceof UserError ||
    (error as NodeJS.ErrnoException).code !== undefined
  );
}
