/** Slack calls its emoji by names; these are the ones that are used as reactions. */
const NAMES: Readonly<Record<string, string>> = {
  "👀": "eyes",
  "👍": "+1",
  "👎": "-1",
  "👌": "ok_hand",
  "🙏": "pray",
  "🎉": "tada",
  "🔥": "fire",
  "❤": "heart",
  "🤔": "thinking_face",
  "⏳": "hourglass_flowing_sand",
  "⌛": "hourglass",
  "⏸": "double_vertical_bar",
  "⏹": "black_square_for_stop",
  "🔄": "arrows_counterclockwise",
  "✅": "white_check_mark",
  "☑": "ballot_box_with_check",
  "✔": "heavy_check_mark",
  "❌": "x",
  "⚠": "warning",
  "🚫": "no_entry_sign",
  "⛔": "no_entry",
  "🛑": "octagonal_sign",
  "💤": "zzz",
  "💬": "speech_balloon",
  "📥": "inbox_tray",
  "✍": "writing_hand",
  "👨‍💻": "male-technologist",
  "🤖": "robot_face",
};

/** Also takes a name as it is, `eyes` or `:eyes:`; undefined when we do not know what Slack calls it. */
export function emojiName(emoji: string): string | undefined {
  const bare = emoji.replace(/\ufe0f/g, "");
  if (Object.hasOwn(NAMES, bare)) return NAMES[bare];
  return /^:?([a-z0-9_+'-]+):?$/.exec(bare)?.[1];
}
