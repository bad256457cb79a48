import { afterEach, describe, expect, it } from "vitest";
import type { HttpAnswer, HttpRequest, Platform, PlatformKind, Receiver } from "#platform/platform.js";
import type { SessionStore } from "#session/store.js";
import { GatewayScene } from "../../test/support/gateway-scene.js";
import { scriptedModel } from "../../test/support/scripted-model.js";

const scenes: GatewayScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.bugs).toEqual([]);
    await scene.remove();
  }
});

const NOTHING: HttpRequest = { method: "POST", path: "/", headers: {}, body: new Uint8Array() };
const COME_BACK = { status: 503, headers: { "retry-after": "5" } };

/** Whether its line was let go of is in `signal`. */
class Caller {
  signal: AbortSignal | undefined;

  /** A platform that calls us: the body is what somebody says, and its first word names the event and the chat. */
  readonly kind: Partial<PlatformKind> = {
    callsUs: () => true,
    open: async (_settings, { receiver }): Promise<Platform> => ({
      run: (signal) => {
        this.signal = signal;
        receiver.up();
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      },
      send: async ({ id }) => ({ kind: "sent", receipt: id }),
      http: (request) => said(receiver, request),
    }),
  };
}

async function said(receiver: Receiver, { body }: HttpRequest): Promise<HttpAnswer> {
  const text = Buffer.from(body).toString();
  const [eventId = ""] = text.split(" ");
  await receiver.message({ eventId, chat: { type: "dm", id: eventId }, sender: { id: "42" }, text, isAddressed: true });
  return { status: 200 };
}

/** A gateway to which one platform calls, over a store that admits when it is told to. */
function open(): { at: GatewayScene; caller: Caller; admit: () => void; call(text: string): Promise<HttpAnswer> } {
  const caller = new Caller();
  let admit: () => void = () => undefined;
  const admitting = new Promise<void>((resolve) => {
    admit = resolve;
  });
  const wrap = (store: SessionStore): SessionStore => ({
    ...store,
    admit: async (inbound) => {
      await admitting;
      return store.admit(inbound);
    },
  });
  const at = new GatewayScene({ models: [scriptedModel([])], kind: caller.kind, wrap });
  scenes.push(at);
  const call = (text: string): Promise<HttpAnswer> => at.gateway.http("paper", { ...NOTHING, body: Buffer.from(text) });
  return { at, caller, admit, call };
}

/** Chats in which something waits for the next host. */
async function waiting(at: GatewayScene): Promise<number> {
  return (await at.scene.store.unclaimed({ limit: 10 })).length;
}

describe("a platform that calls us", () => {
  it("[GW-18] [CT-1] while the host stops is answered when the store has what it brought, and nothing is begun", async () => {
    const { at, admit, call } = open();
    await at.up();
    at.gateway.drain();
    admit();
    expect(await call("e1 hello")).toEqual({ status: 200 });
    expect(await waiting(at)).toBe(1);
    expect(at.live.active()).toEqual([]);
  });

  it("[GW-18] [CT-1] is heard out before its line goes, and told to come back from then on", async () => {
    const { at, caller, admit, call } = open();
    await at.up();
    at.gateway.drain();
    const underWay = call("e1 hello");
    const stopped = at.gateway.stop(0);
    // Whom nobody knows is told so at once for as long as somebody is there.
    await at.until(async () => (await at.gateway.http("nobody", NOTHING)).status === 503);
    expect(await call("e2 late")).toMatchObject(COME_BACK);
    expect(caller.signal?.aborted).toBe(false);
    admit();
    expect(await underWay).toEqual({ status: 200 });
    await stopped;
    expect(caller.signal?.aborted).toBe(true);
    expect(await call("e3 too late")).toMatchObject(COME_BACK);
    expect(await waiting(at)).toBe(1);
  });

  it("[GW-18] holds a stop up for a bounded time", async () => {
    const { at, caller, admit, call } = open();
    await at.up();
    at.gateway.drain();
    const underWay = call("e1 hello");
    let isStopped = false;
    const stopped = at.gateway.stop(0).then(() => {
      isStopped = true;
    });
    for (let seconds = 0; seconds < 10 && !isStopped; seconds++) await at.pass(1_000);
    await stopped;
    expect(caller.signal?.aborted).toBe(true);
    admit();
    expect(await underWay).toEqual({ status: 200 });
  });

  it("[CT-1] before it is open is told to come back, and under another name that nobody is there", async () => {
    const { at, call } = open();
    expect(await call("e1 hello")).toMatchObject(COME_BACK);
    await at.up();
    expect(await at.gateway.http("nobody", NOTHING)).toMatchObject({ status: 404 });
  });
});
