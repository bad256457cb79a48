/**
 * A scenario drives a gateway through one life and says in words everything that went wrong. The same scenario is clean
 * on the program as it is, and has something to say about a copy with a planted bug.
 */
import type { Script } from "../support/model-server/reply.js";
import { judgeKept, judgeStore, judgeViews, type Told } from "./support/contract.js";
import { echo, someWait, tokenOf } from "./support/echo.js";
import { growing } from "./support/growing.js";
import { Stage } from "./support/stage.js";
import { openTelegramSide, type TelegramSide } from "./support/telegram.js";

export interface Scenario {
  readonly name: string;
  /** Everything that went wrong; nothing when all is well. */
  play(launcher: string): Promise<readonly string[]>;
}

interface Scene {
  readonly stage: Stage;
  readonly telegram: TelegramSide;
  say(chat: number, number: number, word?: string): Told;
  /** What is wrong once nothing is left to do. */
  judged(): Promise<readonly string[]>;
}

interface ScenarioWish {
  readonly name: string;
  readonly script?: Script;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly streams?: boolean;
  act(scene: Scene): Promise<readonly string[]>;
}

const CHATS = [1001, 1002, 1003];
const [ALICE = 0, BOB = 0] = CHATS;

function defineScenario({ name, script = echo, settings = {}, streams = false, act }: ScenarioWish): Scenario {
  return {
    name,
    async play(launcher) {
      const telegram = await openTelegramSide();
      const platforms = { telegram: { ...telegram.settings, stream: streams } };
      const stage = await Stage.begin({ launcher, script, settings, platforms });
      const told: Told[] = [];
      const say = (chat: number, number: number, word = "please"): Told => {
        const token = tokenOf(chat, number);
        const one = { chat: String(chat), token, eventId: telegram.say(chat, `${word} ${token}`).eventId };
        told.push(one);
        return one;
      };
      const judged = async (): Promise<readonly string[]> => {
        await stage.converge();
        await stage.stop();
        const views = CHATS.map((chat) => ({ chat: String(chat), posts: telegram.shown(chat) }));
        return [...judgeViews(told, views, stage), ...judgeStore(stage.look(), told, { isStopped: true })];
      };
      try {
        return await act({ stage, telegram, say, judged });
      } catch (error) {
        return [`it went no further: ${error instanceof Error ? error.message : String(error)}`];
      } finally {
        await stage.end();
        await telegram.stop();
      }
    },
  };
}

export const killedWhenTaken = defineScenario({
  name: "killed as soon as the platform regards messages as taken",
  async act({ stage, telegram, say, judged }) {
    await stage.up();
    for (const chat of CHATS) for (const number of [1, 2]) say(chat, number);
    await stage.until("some are taken", () => telegram.acknowledged().length > 0);
    await stage.kill();
    const lost = judgeKept(stage.look(), telegram.acknowledged());
    if (lost.length > 0) return lost;
    await stage.up();
    await stage.until("all are taken", () => telegram.acknowledged().length === telegram.deliveredCount());
    return judged();
  },
});

export const sentAndUnheard = defineScenario({
  name: "a reply that is taken, and a gateway that dies before it hears so",
  async act({ stage, telegram, say, judged }) {
    telegram.fake.fail(["send"], { kind: "silent" });
    say(ALICE, 1);
    await stage.up();
    await stage.until("the reply is taken", () => telegram.shown(ALICE).length === 1);
    await stage.kill();
    await stage.up();
    await stage.until("it is sent again", () => telegram.shown(ALICE).length === 2);
    return judged();
  },
});

export const saidTwice = defineScenario({
  name: "a message that is delivered three times",
  async act({ stage, telegram, say, judged }) {
    await stage.up();
    say(ALICE, 1);
    await stage.until("it is answered", () => telegram.shown(ALICE).length === 1);
    telegram.fake.world.updates.redeliver(2);
    say(BOB, 1);
    await stage.until("what came after is answered", () => telegram.shown(BOB).length === 1);
    return judged();
  },
});

export const killedWhileGrowing = defineScenario({
  name: "an answer that grows, and a gateway that dies meanwhile",
  script: growing,
  streams: true,
  async act({ stage, telegram, say, judged }) {
    say(ALICE, 1);
    await stage.up();
    await stage.until("a preview is edited", () => (telegram.fake.calls()["editMessageText"] ?? 0) > 0);
    await stage.kill();
    stage.model.go();
    await stage.up();
    await stage.until("the reply is there", () => telegram.shown(ALICE).join().includes("answer"));
    const wrong = await judged();
    const { length } = telegram.shown(ALICE);
    return length === 1 ? wrong : [...wrong, `the answer is ${length} messages`];
  },
});

export const saidWhileStopping = defineScenario({
  name: "a message that comes while a gateway stops",
  script: someWait,
  settings: { gateway: { drain_seconds: 60 } },
  async act({ stage, telegram, say, judged }) {
    await stage.up();
    say(ALICE, 1, "wait");
    await stage.model.held();
    const ended = stage.stop();
    await stage.until("it says that it stops", () => stage.said.includes('"stopping"'));
    say(BOB, 1);
    await stage.until("it is taken", () => telegram.acknowledged().length === 2);
    stage.model.go();
    await ended;
    await stage.up();
    return judged();
  },
});

export const threeChats = defineScenario({
  name: "messages of three chats at once",
  async act({ stage, telegram, say, judged }) {
    await stage.up();
    for (const chat of CHATS) say(chat, 1);
    await stage.until("three replies are sent", () => telegram.fake.sent().length >= CHATS.length);
    return judged();
  },
});
