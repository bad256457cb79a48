/** `/compact [focus]`: a shorter history of the same conversation; the originals stay readable. */
import type { CompactionReport } from "#runtime/compact.js";
import { NOTHING_YET, type SlashCommand, said } from "../command.js";

export const compactCommand: SlashCommand = {
  name: "compact",
  aliases: ["compress"],
  category: "Turn",
  arguments: "none",
  takes: "[focus]",
  summary: "summarise the older part, so that there is room",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  needs: ["compact"],
  async run({ compact, conversation }, words) {
    if (compact === undefined || conversation === undefined) return said(NOTHING_YET);
    const focus = words === "" ? {} : { focus: words };
    return said(reportText(await compact(conversation, focus)));
  },
};

function reportText(report: CompactionReport): string {
  switch (report.kind) {
    case "compacted": {
      const [before, after] = [report.tokensBefore, report.tokensAfter].map((tokens) => tokens.toLocaleString("en-US"));
      const how = report.isLocal ? " No model could summarise it, so a plain list stands in." : "";
      return `Compacted: about ${before} tokens became ${after}.${how} What was said before stays readable.`;
    }
    case "nothing":
      return "There is nothing to make shorter yet.";
    case "failed":
      return `It was not compacted: ${report.reason}. Everything is as it was.`;
    case "stale":
      return "Something was said meanwhile, so it was not compacted. Try again.";
    case "busy":
      return "Its last turn is not over: /continue finishes it first.";
  }
}
