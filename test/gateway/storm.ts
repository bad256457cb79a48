/**
 * Messages delivered many times, in a shuffled order, to a gateway that is killed again and again [CT-1] [CT-2] [CT-3]
 * [CT-4]. The choices come from a seed; when a death meets which of its acts is the machine's affair.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_COPY } from "#gateway/words.js";
import { type Random, seededRandom } from "../chaos/random.js";
import { inTheAir, judgeKept, judgeStore, judgeViews, type Told } from "./support/contract.js";
import { echo, tokenOf, tokensIn } from "./support/echo.js";
import { Stage } from "./support/stage.js";
import { openTelegramSide, type TelegramMessage, type TelegramSide } from "./support/telegram.js";

export interface StormWish {
  readonly launcher: string;
  readonly seed: number;
  readonly messages: number;
  readonly deliveries: number;
  readonly kills: number;
  readonly chats: number;
  readonly onLife?: (life: number) => void;
  /** Ends the gateway under way, and the storm by a rejection. */
  readonly signal?: AbortSignal;
}

/** The form that takes minutes, and the one that takes an hour. */
export const QUICK_STORM = { messages: 200, deliveries: 2_000, kills: 20, chats: 25 } as const;
export const FULL_STORM = { messages: 10_000, deliveries: 100_000, kills: 200, chats: 200 } as const;

export interface StormResult {
  readonly wrong: readonly string[];
  readonly turns: number;
  /** Messages that were answered. */
  readonly replies: number;
  /** Answers beyond the first to a message: within the published window. */
  readonly extra: number;
  /** Answers that say that they may be copies, and sends whose outcome nobody learnt. */
  readonly marked: number;
  readonly inTheAir: number;
  readonly tookMs: number;
}

/** From the moment a life first asks for messages. */
const LIFE_MS_MAX = 900;
/** This share of messages is delivered once: nothing makes good for one that is lost. */
const ONCE_SHARE = 0.1;
const FIRST_CHAT = 1001;

export async function runStorm(wish: StormWish): Promise<StormResult> {
  const begunMs = performance.now();
  const random = seededRandom(wish.seed);
  const telegram = await openTelegramSide();
  const stage = await Stage.begin({
    launcher: wish.launcher,
    script: echo,
    platforms: { telegram: { ...telegram.settings, stream: false } },
  });
  const { signal = NEVER } = wish;
  const interrupt = (): void => void stage.kill();
  signal.addEventListener("abort", interrupt);
  try {
    const plan = planned(wish, telegram, random);
    const wrong: string[] = [];
    let air = 0;
    for (let life = 0; life < wish.kills; life++) {
      wish.onLife?.(life);
      await oneLife(stage, telegram, {
        slice: sliceOf(plan.deliveries, life, wish.kills),
        random,
        signal,
        isEarly: life % 2 === 0,
      });
      const db = stage.look();
      wrong.push(...judgeKept(db, telegram.acknowledged()).map((text) => `after death ${life + 1}: ${text}`));
      air += inTheAir(db);
    }
    await stage.up();
    await stage.until(
      "every delivery is acknowledged",
      () => {
        signal.throwIfAborted();
        return telegram.acknowledged().length === wish.deliveries;
      },
      LAST_MS_MAX,
    );
    await stage.converge(LAST_MS_MAX);
    await stage.stop();
    const views = [...plan.chats].map((chat) => ({ chat: String(chat), posts: telegram.shown(chat) }));
    const answers = views.flatMap(({ posts }) => posts).filter((text) => tokensIn(text).length > 0);
    const replies = new Set(answers.flatMap(tokensIn)).size;
    const marked = answers.filter((text) => text.startsWith(SECOND_COPY)).length;
    if (marked > air) wrong.push(`${marked} marked copies of ${air} sends whose outcome nobody learnt`);
    const db = stage.look();
    wrong.push(...judgeViews(plan.told, views, { deaths: stage.deaths }), ...judgeStore(db, plan.told));
    return {
      wrong,
      turns: db.get<{ count: number }>("SELECT count(*) AS count FROM turn")?.count ?? 0,
      replies,
      extra: answers.length - replies,
      marked,
      inTheAir: air,
      tookMs: performance.now() - begunMs,
    };
  } finally {
    signal.removeEventListener("abort", interrupt);
    await stage.end();
    await telegram.stop();
  }
}

const NEVER = new AbortController().signal;
/** What is still owed after the last death goes out at the platform's pace. */
const LAST_MS_MAX = 900_000;

interface Plan {
  readonly deliveries: readonly TelegramMessage[];
  /** In the order of their first delivery. */
  readonly told: readonly Told[];
  readonly chats: ReadonlySet<number>;
}

function planned({ messages, deliveries, chats }: StormWish, telegram: TelegramSide, random: Random): Plan {
  const numbers = new Map<number, number>();
  const all = Array.from({ length: messages }, () => {
    const chat = FIRST_CHAT + random.int(0, chats - 1);
    const number = (numbers.get(chat) ?? 0) + 1;
    numbers.set(chat, number);
    return telegram.compose(chat, `please ${tokenOf(chat, number)}`);
  });
  const often = all.slice(Math.floor(messages * ONCE_SHARE)) as [TelegramMessage, ...TelegramMessage[]];
  const again = Array.from({ length: deliveries - messages }, () => random.pick(often));
  const order = shuffled([...all, ...again], random);
  const first = [...new Set(order)];
  const told = first.map(({ chat, text, eventId }) => ({
    chat: String(chat),
    token: text.replace("please ", ""),
    eventId,
  }));
  return { deliveries: order, told, chats: new Set(numbers.keys()) };
}

function sliceOf<T>(all: readonly T[], at: number, count: number): readonly T[] {
  return all.slice(Math.floor((all.length * at) / count), Math.floor((all.length * (at + 1)) / count));
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const rest = [...items];
  for (let at = rest.length - 1; at > 0; at--) {
    const other = random.int(0, at);
    [rest[at], rest[other]] = [rest[other] as T, rest[at] as T];
  }
  return rest;
}

interface Life {
  readonly slice: readonly TelegramMessage[];
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Killed whatever it does; the others have first finished what an earlier death cut. */
  readonly isEarly: boolean;
}

/**
 * Some are there when it starts, the others come while it lives; then it is killed. A conversation in which the process
 * dies three times in a row is set aside [CT-9], so every second life gets to the end of what the one before left.
 */
async function oneLife(stage: Stage, telegram: TelegramSide, life: Life): Promise<void> {
  const { slice, random, signal, isEarly } = life;
  signal.throwIfAborted();
  const pieces = random.int(1, 4);
  const lifeMs = random.int(0, LIFE_MS_MAX);
  const polls = (): number => telegram.fake.calls()["getUpdates"] ?? 0;
  const before = polls();
  telegram.deliver(...sliceOf(slice, 0, pieces));
  stage.start();
  const isSo = async (look: () => boolean | Promise<boolean>): Promise<boolean> => {
    signal.throwIfAborted();
    return look();
  };
  await stage.until("it asks for messages", () => isSo(() => polls() > before));
  if (!isEarly) await stage.until("what was cut is finished", () => isSo(async () => (await stage.cutTurns()) === 0));
  for (let at = 1; at < pieces; at++) {
    await sleep(lifeMs / pieces);
    telegram.deliver(...sliceOf(slice, at, pieces));
  }
  await sleep(lifeMs / pieces);
  await stage.kill();
}
