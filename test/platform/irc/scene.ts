/** A scene of the platform contract: a real ngircd, two people on it, and a line that can fail between us and it. */
import type { Peer, PeerChat, PeerFault, PeerWords, PlatformScene, Shown } from "#platform/contract/scene.js";
import { irc } from "#platform/irc/kind.js";
import type { PlatformKind } from "#platform/platform.js";
import { FaultyLine } from "./faulty-line.js";
import { startNgircd } from "./ngircd.js";
import type { Ngircd } from "./ngircd-binary.js";
import { Person } from "./person.js";

export const NICK = "talaria";
export const CHANNEL = "#kitchen";

export async function ircScene(binary: Ngircd): Promise<PlatformScene> {
  const server = await startNgircd(binary);
  const alice = await Person.join(server.port, "alice", [CHANNEL]);
  const bob = await Person.join(server.port, "bob", [CHANNEL]);
  const line = await FaultyLine.before(server.port);
  return {
    kind: irc as PlatformKind,
    settings: irc.settings.parse({ host: "127.0.0.1", port: line.port, nick: NICK, channels: [CHANNEL] }),
    peer: new IrcPeer({ alice, bob }, line),
    chats: ["dm", "group"],
    place: (chat) => ({
      chat: chat === "dm" ? { type: "dm", id: "alice!~alice@127.0.0.1" } : { type: "group", id: CHANNEL },
    }),
    lacks: {
      "server-error": "a server that cannot take a message says why, or is gone",
      "markup-refused": "IRC has no markup",
    },
    losesMeanwhile: "IRC keeps nothing for whoever is not there",
    close: () => server.stop(),
  };
}

class IrcPeer implements Peer {
  readonly #people: { readonly alice: Person; readonly bob: Person };
  readonly #line: FaultyLine;

  constructor(people: { readonly alice: Person; readonly bob: Person }, line: FaultyLine) {
    this.#people = people;
    this.#line = line;
  }

  say({ text, chat = "dm", who = "alice", isMention = false }: PeerWords): Promise<void> {
    return this.#people[who].say(chat === "dm" ? NICK : CHANNEL, isMention ? `${NICK}: ${text}` : text);
  }

  async shown(chat: PeerChat): Promise<readonly Shown[]> {
    const { alice } = this.#people;
    await alice.settled();
    const target = chat === "dm" ? "alice" : CHANNEL;
    return alice.heard
      .filter((one) => one.from.startsWith(NICK) && one.target === target)
      .map(({ text }) => ({ text }));
  }

  fail(fault: PeerFault, times = 1): void {
    this.#line.fail(fault, times);
  }

  async cutLine(): Promise<void> {
    this.#line.cut();
  }

  async stop(): Promise<void> {
    await this.#line.stop();
    await this.#people.alice.leave();
    await this.#people.bob.leave();
  }
}
