/** How large things may be. */

/** Ours, not Discord's: what is fetched for a turn. */
export const MEDIA_IN_BYTES_MAX = 25 * 1024 * 1024;
/** Discord's for a bot in a server without boosts. */
export const MEDIA_OUT_BYTES_MAX = 10 * 1024 * 1024;
export const TEXT_CHARS_MAX = 2000;
