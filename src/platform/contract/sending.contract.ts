/** What we say is shown where it belongs, whole and readable, and its receipt names it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BUTTON_TOKEN_MAX, type Limits } from "../platform.js";
import { splitText } from "../split.js";
import { type OpenScene, onStage, SEND_LIMIT_MS } from "./stage.js";

const CODE = [
  "function f(a: number): string {",
  "  // **not bold**, _not italic_, <b>no tag</b> & no entity",
  "  return `a * 2 * 3`;",
  "}",
];
const REPLY = [
  "# A title",
  "",
  "Some **bold** and _slanted_ words, `inline_code()` and a list:",
  "",
  "- one",
  "- two",
  "",
  "```ts",
  ...CODE,
  "```",
  "",
  "The end.",
].join("\n");

export function describeSending(open: OpenScene): void {
  it("shows what is sent in the chat it is for, and nowhere else", () =>
    onStage(open, async ({ scene, send, shown }) => {
      for (const chat of scene.chats) {
        const outcome = await send(chat, `for ${chat} only`);
        expect(outcome).toMatchObject({ kind: "sent", receipt: expect.stringMatching(/./) });
        for (const other of scene.chats)
          expect(await shown(other, `for ${chat} only`)).toHaveLength(other === chat ? 1 : 0);
      }
    }));

  it("gives every message a receipt of its own, and keeps their order", () =>
    onStage(open, async ({ scene, send }) => {
      const receipts = new Set<string>();
      for (const text of ["first", "second", "third"]) {
        const outcome = await send("dm", text);
        if (outcome.kind === "sent") receipts.add(outcome.receipt);
      }
      expect(receipts.size).toBe(3);
      expect((await scene.peer.shown("dm")).map((one) => one.text)).toEqual(["first", "second", "third"]);
    }));

  it("shows a text as long as its limit whole", () =>
    onStage(open, async ({ scene, send }) => {
      const text = filling(scene.kind.limits);
      expect(await send("dm", text)).toMatchObject({ kind: "sent" });
      const all = (await scene.peer.shown("dm")).map((one) => one.text).join(" ");
      expect(words(all)).toEqual(words(text));
    }));

  it("shows Markdown readably, and code as it is", () =>
    onStage(open, async ({ scene, send }) => {
      const { text: max, unit, hasLines } = scene.kind.limits;
      for (const part of splitText(REPLY, { max, unit, hasLines })) {
        expect(await send("dm", part)).toMatchObject({ kind: "sent" });
      }
      const all = (await scene.peer.shown("dm")).map((one) => one.text).join("\n");
      expect(all).toContain(CODE.join("\n"));
      for (const word of ["A title", "bold", "slanted", "inline_code()", "one", "two", "The end."])
        expect(all).toContain(word);
    }));

  it("shows special characters as they are", () =>
    onStage(open, async ({ scene, send }) => {
      for (const text of [
        "1 < 2 & 3 > 2",
        "👩‍👩‍👧‍👦 e\u0301 שלום",
        "C:\\dir\\file.txt",
        "a_b_c and 2*3*4",
        "x [ y ( z ) ] ! # + - . |",
      ]) {
        expect(await send("dm", text)).toMatchObject({ kind: "sent" });
        expect((await scene.peer.shown("dm")).at(-1)?.text).toContain(text);
      }
    }));

  it("never rejects, whatever it is to send", () =>
    onStage(open, async ({ send, sendUntilSent }) => {
      for (const text of [
        "",
        "  ",
        "\u0000",
        "before \ud83d after",
        "```",
        "**_~~`",
        "</b><b>&lt;",
        "[](",
        "x".repeat(200_000),
      ]) {
        expect(["sent", "refused", "retry", "unknown"]).toContain((await send("dm", text)).kind);
      }
      await sendUntilSent("dm", "still there");
    }));

  it("shows buttons, and answers whoever presses one", () =>
    onStage(open, async ({ scene, send, receiver }) => {
      const token = "t".repeat(BUTTON_TOKEN_MAX);
      const buttons = [
        { label: "Allow", token, look: "good" as const },
        { label: "Deny", token: "no", look: "bad" as const },
      ];
      expect(await send("dm", { text: "May I?", buttons })).toMatchObject({ kind: "sent" });
      const asked = (await scene.peer.shown("dm")).at(-1);
      expect(asked?.text).toContain("May I?");
      if (scene.peer.press === undefined) return;
      expect(asked?.buttons).toEqual(["Allow", "Deny"]);
      receiver.answerPresses("thank you");
      expect(await scene.peer.press("dm", "Allow")).toBe("thank you");
      expect(receiver.presses).toHaveLength(1);
      expect(receiver.presses[0]).toMatchObject({ token, chat: { id: scene.place("dm").chat.id } });
      await scene.peer.say({ text: "it was me" });
      expect(receiver.presses[0]?.sender.id).toBe((await receiver.hears("it was me")).sender.id);
    }));

  it("shows another text in place of an earlier one, however often", () =>
    onStage(open, async ({ scene, platform, send }) => {
      if (platform.edit === undefined) return;
      const first = await send("dm", "thinking …");
      if (first.kind !== "sent") throw new Error(`not sent: ${JSON.stringify(first)}`);
      const place = scene.place("dm");
      const outgoing = { id: "edit", place, text: "the answer" };
      for (let times = 0; times < 2; times++) {
        const outcome = await platform.edit(place, first.receipt, outgoing, AbortSignal.timeout(30_000));
        expect(outcome.kind).toBe("sent");
        expect((await scene.peer.shown("dm")).map((one) => one.text)).toEqual(["the answer"]);
      }
    }));

  it("takes the buttons of a message away with another text in its place", () =>
    onStage(open, async ({ scene, platform, send }) => {
      if (platform.edit === undefined) return;
      const asked = await send("dm", { text: "May I?", buttons: [{ label: "Allow", token: "yes" }] });
      if (asked.kind !== "sent") throw new Error(`not sent: ${JSON.stringify(asked)}`);
      const place = scene.place("dm");
      const outgoing = { id: "asked", place, text: "May I?\n\n→ Allowed, by Ada." };
      const outcome = await platform.edit(place, asked.receipt, outgoing, AbortSignal.timeout(SEND_LIMIT_MS));
      expect(outcome.kind).toBe("sent");
      const [shown, ...more] = await scene.peer.shown("dm");
      expect(shown?.text).toContain("Allowed, by Ada.");
      expect(shown?.buttons ?? []).toEqual([]);
      expect(more).toEqual([]);
    }));

  it("sends a file along, and refuses one that is not there", () =>
    onStage(open, async ({ scene, send }) => {
      if (scene.kind.limits.mediaOut === 0) return;
      const folder = await mkdtemp(join(tmpdir(), "platform-"));
      try {
        const media = { path: join(folder, "report.txt"), name: "report.txt", mediaType: "text/plain" };
        expect(await send("dm", { text: "too early", media })).toMatchObject({ kind: "refused" });
        await writeFile(media.path, "r".repeat(3_000));
        expect(await send("dm", { text: "the report", media })).toMatchObject({ kind: "sent" });
        const files = (await scene.peer.shown("dm")).flatMap((one) => one.media ?? []);
        expect(files).toEqual([{ name: "report.txt", bytes: 3_000 }]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }));

  it("types, reacts and sets its menu without a word where there is such a thing", () =>
    onStage(open, async ({ scene, platform, receiver }) => {
      await scene.peer.say({ text: "hello" });
      const { messageId } = await receiver.hears("hello");
      const signal = AbortSignal.timeout(30_000);
      await platform.typing?.(scene.place("dm"), signal);
      if (messageId !== undefined) await platform.react?.(scene.place("dm"), messageId, "👀", signal);
      await platform.setMenu?.([{ name: "help", about: "what there is" }], signal);
      expect(await scene.peer.shown("dm")).toEqual([]);
    }));
}

/** Words up to the limit of one message and no further. */
function filling(limits: Limits): string {
  let text = "";
  for (let at = 0; text.length < limits.text; at++) text += `${at} `;
  return text.slice(0, limits.text).trim();
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
