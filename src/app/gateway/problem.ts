/** Something that is wrong with a platform in the settings, in words that hold no secret. */

export interface Problem {
  readonly platform: string;
  readonly account: string | null;
  /** `platforms.telegram.token` */
  readonly key: string;
  /** Begins with the key: `platforms.telegram.token is missing`. */
  readonly text: string;
  /** The account does not start; otherwise what is written there does nothing. */
  readonly isRefusal: boolean;
}

export interface About {
  readonly platform: string;
  readonly account?: string;
}

export function problem(about: About, key: string, message: string): Problem {
  return { ...blamed(about), key, text: `${key}: ${message}`, isRefusal: true };
}

/** `platforms.telegram.token is missing`: words that go on from the key. */
export function remark(about: About, key: string, words: string, isRefusal: boolean): Problem {
  return { ...blamed(about), key, text: `${key} ${words}`, isRefusal };
}

function blamed({ platform, account }: About): Pick<Problem, "platform" | "account"> {
  return { platform, account: account ?? null };
}
