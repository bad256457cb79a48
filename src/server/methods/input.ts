/**
 * Files, pictures and pastes on their way into a message. A file that is dropped becomes a reference, which is expanded
 * when the message is sent. A picture is told to the model by its path: no model is shown pictures yet.
 */
import type { ServerContext } from "../context.js";
import { Refusal } from "../failure.js";
import type { HandlersOf } from "../handler.js";
import { cwdOf } from "../target.js";

export const inputHandlers: HandlersOf<"input.detect_drop" | "image.attach" | "clipboard.paste" | "paste.collapse"> = {
  async "input.detect_drop"(server, { session_id, text }) {
    const file = await found(server, session_id, text);
    if (file === undefined) return { matched: false };
    const { path, name, isImage, rest } = file;
    return { matched: true, is_image: isImage, path, name, text: `${reference(path)} ${rest}`.trim() };
  },
  async "image.attach"(server, { session_id, path: words }) {
    if (words.trim() === "") throw new Refusal("noPath", "name a picture");
    const file = await found(server, session_id, words);
    if (file === undefined) throw new Refusal("badPath", `there is no file ${words.trim().slice(0, 200)}`);
    if (!file.isImage) throw new Refusal("badFile", `${file.name} is not a picture; @file: takes it into a message`);
    const { path, name, rest } = file;
    return { attached: true, path, remainder: rest, text: `[picture: ${path}]`, name, count: 1 };
  },
  "clipboard.paste": () => ({
    attached: false,
    message: "A host has no clipboard; save the picture and name its file.",
  }),
  async "paste.collapse"({ machine }, { text }) {
    if (text === "") throw new Refusal("emptyText", "there is nothing to keep");
    const path = await machine.keepPaste(text);
    const lines = text.split("\n").length;
    return { placeholder: `[pasted ${lines} lines: ${reference(path)}]`, path, lines };
  },
};

function reference(path: string): string {
  return /\s/.test(path) ? `@file:"${path}"` : `@file:${path}`;
}

async function found(server: ServerContext, sid: string, words: string) {
  return server.machine.findFile(words.trim(), await cwdOf(server, sid));
}
