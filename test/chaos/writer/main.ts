/**
 * The process that is killed: it takes the home's lock, opens the real store behind its worker thread, recovers
 * what the one before it left, and works on several chats at once until it is killed or has nothing left to do.
 *
 *   node writer.mjs <plan.json>
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "#base/clock.js";
import { type HostId, randomIds } from "#base/ids.js";
import { BOUNDARY_KINDS } from "#session/boundary.js";
import { takeHostLock } from "#store/sqlite/host-lock.js";
import { openWorkerStore } from "#store/sqlite/worker-store.js";
import { beginChat, type Chat } from "./chat.js";
import { runErasure, runHooks, runOutbox } from "./outbox.js";
import type { Plan } from "./plan.js";
import { recover } from "./recovery.js";
import { runChat } from "./talk.js";
import { makeWorld, tell, traced, type World } from "./world.js";

export const HOOK_SUBSCRIBER = "chaos";

await main(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Plan);

async function main(plan: Plan): Promise<void> {
  await takeHostLock(join(plan.home, "run"), "chaos", systemClock);
  const opened = await openWorkerStore({ path: join(plan.home, "state.db") });
  const host = randomIds<HostId>();
  const world = makeWorld(traced(opened, plan), plan, host);
  const { store } = world;
  await store.beginHost({ id: host, pid: process.pid, version: "chaos", nowMs: systemClock.nowMs() });
  tell({ t: "ready", host });
  await store.subscribeHooks({ subscriber: HOOK_SUBSCRIBER, kinds: BOUNDARY_KINDS });
  await recover(world);
  tell({ t: "recovered" });
  await work(world);
  tell({ t: "idle" });
  await opened.close();
}

async function work(world: World): Promise<void> {
  const chats: Chat[] = [];
  for (let no = 0; no < world.plan.chats; no++) chats.push(await beginChat(world, no));
  let areChatsDone = false;
  const isDone = (): boolean => areChatsDone;
  const talking = Promise.all(chats.map((chat) => runChat(world, chat))).then(() => {
    areChatsDone = true;
  });
  if (world.plan.isSerial) await talking;
  await Promise.all([talking, runOutbox(world, isDone), runHooks(world, isDone), runErasure(world, isDone)]);
}
