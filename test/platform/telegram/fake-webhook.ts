/** Telegram's side of a webhook: calls it for what waits, in order, and again until it is answered with 200. */
import type { Desk } from "./fake-methods.js";

const RETRY_MS = 200;
const TRIES_MAX = 50;

const running = new WeakSet<Desk>();

export async function callWebhook(desk: Desk, signal: AbortSignal): Promise<void> {
  if (desk.webhook === undefined || running.has(desk)) return;
  running.add(desk);
  try {
    for (let tries = 0; tries < TRIES_MAX && !signal.aborted; ) {
      const { webhook, world } = desk;
      const [update] = world.updates.take(0, 1);
      if (webhook === undefined || update === undefined) return;
      if (await post(webhook.url, webhook.secret, JSON.stringify(update), signal)) {
        world.updates.confirm(update.update_id);
        tries = 0;
      } else {
        tries += 1;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  } finally {
    running.delete(desk);
  }
}

async function post(url: string, secret: string, body: string, signal: AbortSignal): Promise<boolean> {
  const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret };
  try {
    const answer = await fetch(url, { method: "POST", headers, body, signal });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    // Whoever cannot be reached is called again.
    return false;
  }
}
