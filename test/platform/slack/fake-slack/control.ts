/**
 * What a test in another process can ask for: `POST /__control/VERB` with JSON. Verbs: say, command, press, fail, shown,
 * redeliver, cut, refresh, state, door.
 */
import type { FakeSlack, Say, SlackPeerFault } from "./fake-slack.js";

type Asked = Record<string, unknown>;
type Verb = (fake: FakeSlack, asked: Asked) => object | Promise<object>;

const VERBS: Readonly<Record<string, Verb>> = {
  say: (fake, asked) => ({ ts: fake.say(asked as unknown as Say) }),
  command: (fake, asked) => {
    fake.command(asked as unknown as Parameters<FakeSlack["command"]>[0]);
    return {};
  },
  press: async (fake, { channel, label, user }) => ({
    shown: await fake.press(String(channel), String(label), user === undefined ? undefined : String(user)),
  }),
  fail: (fake, { fault, times, method }) => {
    fake.fail(fault as SlackPeerFault, Number(times ?? 1), method === undefined ? undefined : String(method));
    return {};
  },
  shown: (fake, { channel, thread }) => ({
    shown: fake.shown(String(channel), thread === undefined ? undefined : String(thread)),
  }),
  redeliver: async (fake, { max }) => {
    await fake.lines.redeliver(max === undefined ? undefined : Number(max));
    return {};
  },
  cut: (fake) => {
    fake.lines.cut();
    return {};
  },
  refresh: (fake) => {
    fake.lines.refresh();
    return {};
  },
  /** The app's own address: from now on events are posted there. */
  door: (fake, { url }) => {
    fake.lines.door = async ({ method, headers, body }) => {
      const answer = await fetch(String(url), { method, headers, body: new Uint8Array(body) });
      return { status: answer.status, body: await answer.text() };
    };
    return {};
  },
  state: ({ lines, calls, world }) => ({
    acknowledged: lines.acked,
    connections: lines.connections,
    open: lines.open,
    calls: calls.length,
    messages: world.messages.map(({ ts, channel, user, text, thread_ts, metadata }) => ({
      ts,
      channel,
      user,
      text,
      thread_ts,
      id: metadata?.event_payload["id"],
    })),
  }),
};

export async function control(fake: FakeSlack, verb: string, body: string): Promise<object | undefined> {
  const act = VERBS[verb];
  return act?.(fake, body === "" ? {} : (JSON.parse(body) as Asked));
}
