/** People in chats of one gateway: who says what where, and what they were answered. */
import { expect } from "vitest";
import type { Chat, Incoming } from "#platform/platform.js";
import { GatewayScene, type GatewaySceneOptions } from "./gateway-scene.js";
import { type ScriptedReply, scriptedModel } from "./scripted-model.js";

export const ADA = { id: "1", name: "Ada" } as const;
export const BOB = { id: "2", name: "Bob" } as const;
export const OWNER_OF_HOME = { id: "9", name: "Ona" } as const;

export interface Saying {
  readonly by?: { readonly id: string; readonly name?: string };
  readonly chat?: Chat;
  readonly eventId?: string;
}

export class ChatScene extends GatewayScene {
  static async open(
    replies: readonly ScriptedReply[] = [],
    more: Partial<GatewaySceneOptions> = {},
  ): Promise<ChatScene> {
    const account = { allow: [ADA.id, BOB.id], owners: [OWNER_OF_HOME.id], ...more.account };
    const scene = new ChatScene({ models: [scriptedModel([...replies])], ...more, account });
    await scene.up();
    return scene;
  }

  async say(text: string, { by = ADA, chat = { type: "dm", id: by.id }, eventId }: Saying = {}): Promise<void> {
    const event: Partial<Incoming> = eventId === undefined ? {} : { eventId };
    await this.paper.hear(text, { sender: by, chat, ...event });
  }

  /** Says it and answers what the chat shows next. */
  async ask(text: string, saying: Saying = {}): Promise<string> {
    const chat = saying.chat?.id ?? saying.by?.id ?? ADA.id;
    const before = this.paper.shown(chat).length;
    await this.say(text, saying);
    for (let tries = 0; tries < 60 && this.paper.shown(chat).length === before; tries++) await this.pass(500);
    await this.pass(2_000);
    // Parts of one answer follow each other at the chat's pace.
    for (let tries = 0; tries < 60 && !(await this.#isQuiet()); tries++) await this.pass(1_000);
    return this.paper.shown(chat).slice(before).join("\n");
  }

  async #isQuiet(): Promise<boolean> {
    const { store } = this.scene;
    const [commands, { open }] = await Promise.all([store.openCommands({ limit: 1 }), store.stats({})]);
    return commands.length === 0 && open.deliveries === 0;
  }

  async conversationOf(id: string, type = "dm"): Promise<string> {
    const route = await this.scene.store.route({ key: `agent:main:paper:${type}:${id}` });
    expect(route).not.toBeNull();
    return route?.conversation ?? "";
  }

  async press(token: string, by: { readonly id: string; readonly name?: string }): Promise<string> {
    if (this.paper.receiver === undefined) throw new Error("nobody listens");
    return this.paper.receiver.press({ token, chat: { type: "dm", id: by.id }, sender: by });
  }
}
