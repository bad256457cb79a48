/**
 * The contract of a platform: every adapter runs this suite against its peer, and a new one is done when it passes.
 * `open` gives a fresh scene for each promise: a peer with no history, and settings that lead to it.
 */
import { describe } from "vitest";
import { describeFaults } from "./faults.contract.js";
import { describeHearing } from "./hearing.contract.js";
import { describeLine } from "./line.contract.js";
import { describeSending } from "./sending.contract.js";
import type { OpenScene } from "./stage.js";

export { abortedOnce, eventually, type RecordingReceiver, recordingReceiver } from "./recording.js";
export type { OpenScene } from "./stage.js";

const CHAPTERS: readonly [string, (open: OpenScene) => void][] = [
  ["hearing", describeHearing],
  ["sending", describeSending],
  ["faults", describeFaults],
  ["the line", describeLine],
];

export function describePlatform(name: string, open: OpenScene): void {
  describe(`${name} keeps the platform contract`, () => {
    for (const [noun, chapter] of CHAPTERS) describe(noun, () => chapter(open));
  });
}
