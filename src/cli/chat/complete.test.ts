import { expect, it } from "vitest";
import { createCompleter } from "./complete.js";
import type { HostLink } from "./link.js";

const items = [{ text: "demo/demo", display: "demo/demo", meta: "" }];

/** Offers the one word wherever it is asked; it takes the place of the line's last word. */
function completerOf() {
  const callOnce = async (_method: string, { text }: { text: string }) => ({
    items,
    replace_from: text.search(/\S*$/),
  });
  return createCompleter({ callOnce } as unknown as HostLink, () => undefined);
}

it("completes the word that was begun, and adds nothing to one that is whole", async () => {
  const complete = completerOf();
  expect(await complete("/model ")).toEqual([["demo/demo "], ""]);
  expect(await complete("/model d")).toEqual([["demo/demo "], "d"]);
  expect(await complete("/model demo/demo ")).toEqual([[], "/model demo/demo "]);
  expect(await Promise.all([complete("/model d"), complete("/model d")])).toEqual([
    [["demo/demo "], "d"],
    [[], "/model d"],
  ]);
  expect(await complete("words")).toEqual([[], "words"]);
});
