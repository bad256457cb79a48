/** Slack for the contract of platforms: the fake, seen as a peer. */
import type { Peer, PeerChat, PlatformScene } from "../../../src/platform/contract/scene.js";
import type { Place, PlatformKind } from "../../../src/platform/platform.js";
import { slack } from "../../../src/platform/slack/kind.js";
import { type FakeSlack, startFakeSlack } from "./fake-slack/fake-slack.js";

const ALICE_DM = "D0ALICE";
const TEAM = "C0TEAM";
/** People cannot type more than this into Slack. */
const TYPED_MAX = 12_000;

export async function slackScene(mode: "socket" | "http"): Promise<PlatformScene & { readonly fake: FakeSlack }> {
  const fake = await startFakeSlack();
  const thread = fake.say({ user: "alice", channel: TEAM, text: "what hangs here", isSilent: true });
  const places: Record<PeerChat, Place> = {
    dm: { chat: { type: "dm", id: ALICE_DM } },
    group: { chat: { type: "group", id: TEAM } },
    thread: { chat: { type: "group", id: TEAM, threadId: thread } },
  };
  return {
    fake,
    kind: (mode === "socket" ? slack : withDoor(fake)) as PlatformKind,
    settings: slack.settings.parse(mode === "socket" ? fake.settings : fake.httpSettings),
    peer: peerOf(fake, { thread, mode }),
    chats: ["dm", "group", "thread"],
    place: (chat) => places[chat],
    lacks: { "markup-refused": "Slack takes any text: markup that is none is shown as it is" },
  };
}

/** In HTTP mode the fake calls the account's own door. */
function withDoor(fake: FakeSlack): PlatformKind {
  return {
    ...(slack as PlatformKind),
    async open(settings, parts) {
      const platform = await (slack as PlatformKind).open(settings, parts);
      fake.lines.door = async (request) => (await platform.http?.(request)) ?? { status: 404 };
      return platform;
    },
  };
}

function peerOf(fake: FakeSlack, { thread, mode }: { thread: string; mode: "socket" | "http" }): Peer {
  const channels: Record<PeerChat, [channel: string, thread?: string]> = {
    dm: [ALICE_DM],
    group: [TEAM],
    thread: [TEAM, thread],
  };
  return {
    async say({ text, chat = "dm", who = "alice", isMention = false, media }) {
      if (text === "" && media === undefined) throw new Error("Slack sends nothing empty");
      const [channel, root] = channels[chat];
      fake.say({
        user: who,
        text: text.slice(0, TYPED_MAX).replaceAll("\u0000", ""),
        channel: chat === "dm" ? fake.world.userNamed(who).dm : channel,
        isMention: isMention && chat !== "dm",
        ...(root === undefined ? {} : { thread: root }),
        ...(media === undefined ? {} : { file: media }),
      });
    },
    redeliver: () => fake.lines.redeliver(),
    acknowledged: async () => fake.lines.acked,
    shown: async (chat) => fake.shown(...channels[chat]),
    press: (chat, label) => fake.press(channels[chat][0], label),
    fail: (fault, times) => fake.fail(fault, times),
    ...(mode === "http" ? {} : { cutLine: async () => fake.lines.cut() }),
    stop: () => fake.stop(),
  };
}
