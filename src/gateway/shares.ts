/** How many messages each line may claim when all are asked at once, so that together they never claim more than is free. */
const IDLE_SHARE = 4;

export interface ShareWish {
  /** What its own pace allows now. */
  readonly room: number;
  /** It had something to send when it was last asked. */
  readonly isBusy: boolean;
}

/** A line that had nothing is asked for little; what is left is divided among those that had. */
export function sharesOf(free: number, wishes: readonly ShareWish[]): readonly number[] {
  const shares = wishes.map(() => 0);
  let left = Math.max(0, free);
  const roomOf = (at: number): number => wishes[at]?.room ?? 0;
  const give = (at: number, most: number): void => {
    const share = Math.max(0, Math.min(left, most, roomOf(at)));
    shares[at] = share;
    left -= share;
  };
  const places = [...wishes.keys()];
  for (const at of places.filter((one) => wishes[one]?.isBusy === false)) give(at, IDLE_SHARE);
  // Who can take least comes first, so that what it leaves is divided, too.
  const busy = places.filter((one) => wishes[one]?.isBusy === true).sort((one, other) => roomOf(one) - roomOf(other));
  for (const [before, at] of busy.entries()) give(at, Math.ceil(left / (busy.length - before)));
  return shares;
}
