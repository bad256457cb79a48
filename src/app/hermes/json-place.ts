/**
 * Where a text stops being JSON. The language's own parser does not always say, and a person who is to repair a
 * file needs the line and the column [RI-18].
 */

export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** The first place at which `text` is not JSON; undefined when all of it is. */
export function findJsonMistake(text: string): TextPlace | undefined {
  const at = new Scan(text).run();
  return at === undefined ? undefined : placeOf(text, at);
}

export function placeOf(text: string, at: number): TextPlace {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: at - lineStart + 1 };
}

type Expecting = "value" | "value-or-close" | "key" | "key-or-close" | "colon" | "comma-or-close" | "end";

/** One pass with its own stack, so that deep nesting costs memory and never the process. */
class Scan {
  #at = 0;
  readonly #open: ("[" | "{")[] = [];

  constructor(private readonly text: string) {}

  run(): number | undefined {
    let expecting: Expecting = "value";
    for (;;) {
      this.#at += this.#match(/[ \t\r\n]*/y)?.length ?? 0;
      if (this.#at >= this.text.length) return expecting === "end" ? undefined : this.#at;
      const next: Expecting | undefined = this.#step(expecting);
      if (next === undefined) return this.#at;
      expecting = next;
    }
  }

  /** Moves past what was expected; undefined when something else is there. */
  #step(expecting: Expecting): Expecting | undefined {
    const character = this.text.charAt(this.#at);
    const inside = this.#open.at(-1);
    const canClose = expecting.endsWith("or-close");
    if (canClose && character === (inside === "{" ? "}" : "]")) {
      this.#at++;
      this.#open.pop();
      return this.#afterValue();
    }
    switch (expecting) {
      case "value":
      case "value-or-close":
        return this.#value(character);
      case "key":
      case "key-or-close":
        return this.#string() ? "colon" : undefined;
      case "colon":
        return this.#take(/:/y) ? "value" : undefined;
      case "comma-or-close":
        if (!this.#take(/,/y)) return undefined;
        return inside === "{" ? "key" : "value";
      case "end":
        return undefined;
    }
  }

  #value(character: string): Expecting | undefined {
    if (character === "{" || character === "[") {
      this.#at++;
      this.#open.push(character);
      return character === "{" ? "key-or-close" : "value-or-close";
    }
    return this.#string() || this.#take(PLAIN) ? this.#afterValue() : undefined;
  }

  /** False, and the place where it began, when it never ends or holds what no string may. */
  #string(): boolean {
    const from = this.#at;
    let isWhole = this.#take(QUOTE);
    while (isWhole && !this.#take(QUOTE)) isWhole = this.#take(PIECE);
    if (!isWhole) this.#at = from;
    return isWhole;
  }

  #afterValue(): Expecting {
    return this.#open.length === 0 ? "end" : "comma-or-close";
  }

  #take(pattern: RegExp): boolean {
    const found = this.#match(pattern);
    this.#at += found?.length ?? 0;
    return found !== undefined;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.text)?.[0];
  }
}

/** Characters of a string, or one escape. Taken piece by piece: one pattern for all of it would need a stack as long. */
const PIECE = /[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const QUOTE = /"/y;
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
