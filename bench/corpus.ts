/**
 * The corpus of the benchmarks: seeded, so that every run measures the same text. User messages of 200 bytes,
 * assistant messages of 1.5 KB with a tool call now and then, words as unequal as in real language, some CJK.
 */

export interface Corpus {
  user(): string;
  assistant(): string;
  /** A whole number below `limit`. */
  below(limit: number): number;
}

const VOCABULARY = 20_000;
const CJK = "自分会話記憶検索天気東京大阪中国北京上海你好世界機械学習模型消息保存永遠";

export function createCorpus(seed: number): Corpus {
  const next = xorshift(seed);
  const below = (limit: number): number => next() % limit;
  // Squaring makes low ranks common: the first words of the vocabulary are in nearly every message.
  const word = (): string => wordAt(Math.floor((next() / 2 ** 32) ** 3 * VOCABULARY));
  const sentence = (bytes: number): string => {
    let text = "";
    while (text.length < bytes) text += `${word()} `;
    return text.slice(0, bytes);
  };
  const withCjk = (text: string): string => {
    if (below(20) !== 0) return text;
    const at = below(CJK.length - 6);
    return `${text.slice(0, -6)} ${CJK.slice(at, at + 5)}`;
  };
  return { below, user: () => withCjk(sentence(200)), assistant: () => withCjk(sentence(1_500)) };
}

export function wordAt(rank: number): string {
  const syllables = [
    "ka",
    "ro",
    "mi",
    "ten",
    "sul",
    "ve",
    "dor",
    "ani",
    "pel",
    "os",
    "tri",
    "ban",
    "qu",
    "lex",
    "gar",
    "yo",
  ];
  let text = "";
  for (let left = rank + 16; left > 0; left = Math.floor(left / 16)) text += syllables[left % 16];
  return text;
}

function xorshift(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}
