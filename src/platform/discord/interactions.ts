/**
 * Slash commands and buttons. Discord wants an answer within three seconds and shows an error otherwise, so both are
 * answered as soon as they are kept; what a command brings forth comes later, by the outbox, as any answer does.
 */
import type { Chat, PlatformParts, Sender } from "../platform.js";
import { type Channels, chatOf } from "./channels.js";
import { senderOf } from "./incoming.js";
import type { Call } from "./rest.js";
import type { WireInteraction } from "./wire.js";
import { within } from "./within.js";

const COMMAND = 2;
const COMPONENT = 3;
/** Answers: a message, or "wait" with the message to follow. */
const MESSAGE = 4;
const WAIT = 5;
/** Seen by whoever asked, and nobody else. */
const EPHEMERAL = 64;
/** Before Discord's three seconds are over. */
const PROMPT_MS = 2_000;
const ANSWER_CHARS_MAX = 2_000;

export interface InteractionParts extends Pick<PlatformParts, "clock" | "log" | "receiver"> {
  readonly call: Call;
  readonly channels: Channels;
}

/** Rejects only when a command could not be kept: it is tried again. */
export async function takeInteraction(
  interaction: WireInteraction,
  parts: InteractionParts,
  signal: AbortSignal,
): Promise<void> {
  const who = interaction.member?.user ?? interaction.user;
  const channelId = interaction.channel?.id ?? interaction.channel_id;
  if (who === undefined || who === null || typeof channelId !== "string") return;
  const where = {
    channel_id: channelId,
    ...(typeof interaction.guild_id === "string" && { guild_id: interaction.guild_id }),
  };
  const chat = chatOf(await parts.channels.of(where, signal));
  const said = { chat, sender: senderOf(who, interaction.member?.nick) };
  if (interaction.type === COMMAND) return takeCommand(interaction, said, parts, signal);
  if (interaction.type === COMPONENT) return takePress(interaction, said, parts, signal);
}

interface Said {
  readonly chat: Chat;
  readonly sender: Sender;
}

async function takeCommand(
  interaction: WireInteraction,
  said: Said,
  parts: InteractionParts,
  signal: AbortSignal,
): Promise<void> {
  const args = interaction.data?.options.map((option) => String(option.value)) ?? [];
  const text = [`/${interaction.data?.name ?? ""}`, ...args].join(" ").toWellFormed().trim();
  await parts.receiver.message({ ...said, eventId: `interaction:${interaction.id}`, text, isAddressed: true });
  await answer(interaction, { type: MESSAGE, text: `${text.slice(0, 200)}: on it.` }, parts, signal);
}

async function takePress(
  interaction: WireInteraction,
  said: Said,
  parts: InteractionParts,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, receiver } = parts;
  const pressed = receiver.press({ ...said, token: interaction.data?.custom_id ?? "" }).catch((error: unknown) => {
    log.warn("a button could not be taken", { error: String(error) });
    return "That did not work. Please try again.";
  });
  const words = await within(clock, PROMPT_MS, pressed);
  if (words !== undefined) return answer(interaction, { type: MESSAGE, text: words }, parts, signal);
  await answer(interaction, { type: WAIT, text: "" }, parts, signal);
  await follow(interaction, await pressed, parts, signal);
}

/** A lost answer is a pity, not a loss: what was asked for is kept, and its own answer comes by the outbox. */
async function answer(
  interaction: WireInteraction,
  { type, text }: { readonly type: number; readonly text: string },
  { call, log }: InteractionParts,
  signal: AbortSignal,
): Promise<void> {
  const data = { flags: EPHEMERAL, ...(type === MESSAGE && body(text)) };
  const route = `/interactions/${interaction.id}/${interaction.token}/callback`;
  await call({ method: "POST", route, body: { type, data }, isAnonymous: true }, signal).catch((error: unknown) =>
    log.info("an interaction could not be answered", { interaction: interaction.id, error: String(error) }),
  );
}

async function follow(
  interaction: WireInteraction,
  text: string,
  { call, log }: InteractionParts,
  signal: AbortSignal,
): Promise<void> {
  const route = `/webhooks/${interaction.application_id}/${interaction.token}/messages/@original`;
  await call({ method: "PATCH", route, body: body(text), isAnonymous: true }, signal).catch((error: unknown) =>
    log.info("an interaction could not be answered", { interaction: interaction.id, error: String(error) }),
  );
}

function body(text: string) {
  return { content: text.slice(0, ANSWER_CHARS_MAX).toWellFormed() || "Done.", allowed_mentions: { parse: [] } };
}
