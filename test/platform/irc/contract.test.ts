import { describe, expect, it } from "vitest";
import { describePlatform } from "#platform/contract/platform.contract.js";
import { findNgircd } from "./ngircd-binary.js";
import { ircScene } from "./scene.js";

const found = await findNgircd();

if ("missing" in found) {
  describe("IRC keeps the platform contract", () => {
    it.skipIf(process.env["CI"] === undefined)(`has a server to be tried against: ${found.missing}`, () => {
      expect.fail(found.missing);
    });
  });
} else {
  describePlatform("IRC", () => ircScene(found));
}
