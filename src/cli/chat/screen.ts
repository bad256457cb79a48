/**
 * A chat as a person sees it. Answers go to stdout; tool lines, remarks and questions to stderr. While something runs
 * a status line is drawn in a terminal and wiped away again; what was said stays.
 */
import { textWidth, truncate, visible, visibleLines } from "#base/text-width.js";
import type { ApprovalAnswer } from "#session/approval.js";
import { wrap } from "../format.js";
import type { ChatDisplay, Opened, Recalled, SaidElsewhere } from "./display.js";
import { createDrawer, type Drawing } from "./drawing.js";
import type { TurnReport } from "./glimpse.js";
import { answerLines, questionLines } from "./question-lines.js";
import type { ChatSurface } from "./surface.js";
import { createTextFlow, type TextFlow } from "./text-flow.js";
import type { BackgroundDone } from "./told.js";

export interface Screen extends ChatDisplay {
  /** Lines on stderr, after whatever stands there is ended. */
  say(lines: readonly string[]): void;
  /** Lines on stderr while text comes: it goes on below them where it was, and no word is torn. */
  aside(lines: readonly string[]): void;
  /** Nothing drawn stays behind: before a prompt. */
  rest(): void;
}

/** A shell's command has flags, a prompt has slash commands. */
export type AnswersWith = "flags" | "slash";

/** `answersWith` says how a waiting question is answered from here. */
export function createScreen(surface: ChatSurface, answersWith: AnswersWith): Screen {
  const { paint } = surface;
  const canvas = createCanvas(surface);
  const { say, rest, remark } = canvas;
  const drawingOf = createDrawer(surface);
  const told = new WeakSet<TurnReport>();
  return {
    say,
    aside: canvas.aside,
    rest,
    opened: (opened) => remark(openedLine(opened, surface.columns - 1)),
    running() {
      // What an interrupted turn left unfinished is not the beginning of the next one.
      canvas.flow.endSegment();
      canvas.status("…");
    },
    glimpse: (glimpse) => draw(canvas, drawingOf(glimpse)),
    said: (said) => void (surface.isTextLive && tellSaid(canvas, said)),
    interrupting: () => remark("stopping; Ctrl-C again leaves at once"),
    note: (text) => remark(text, paint.yellow),
    passed(report) {
      // Where no text is shown as it comes, all of it is told at the end, the answer last.
      if (!surface.isTextLive || told.has(report)) return;
      told.add(report);
      rest();
      tell(canvas, report, { isLast: false, answersWith });
    },
    answeredElsewhere: (answer) => remark(answeredText(answer)),
    background: (done) => canvas.aside(backgroundLines(done, surface.columns).map(paint.dim)),
    ended(reports) {
      rest();
      for (const [at, report] of reports.entries())
        if (!told.has(report)) tell(canvas, report, { isLast: at === reports.length - 1, answersWith });
    },
    recalled: (recalled) => tellRecalled(canvas, recalled, answersWith),
  };
}

interface Canvas {
  readonly surface: ChatSurface;
  readonly flow: TextFlow;
  wipe(): void;
  status(text: string): void;
  rest(): void;
  say(lines: readonly string[]): void;
  aside(lines: readonly string[]): void;
  remark(text: string, style?: (text: string) => string): void;
}

/** The status line is at the cursor whenever it is drawn; everything else wipes it first. */
function createCanvas(surface: ChatSurface): Canvas {
  const { paint, columns } = surface;
  const flow = createTextFlow(surface.isTextLive ? surface.writeText : () => undefined, columns);
  let drawn: string | undefined;
  const wipe = (): void => {
    if (drawn !== undefined) surface.writeAside("\r\u001b[K");
    drawn = undefined;
  };
  const rest = (): void => {
    wipe();
    flow.endLine();
  };
  const say = (lines: readonly string[]): void => {
    rest();
    for (const line of lines) surface.writeAside(`${line}\n`);
  };
  const status = (text: string): void => {
    if (!surface.isStatusLive) return;
    flow.endLine();
    surface.writeAside(`\r\u001b[K${paint.dim(text)}`);
    drawn = text;
  };
  return {
    surface,
    flow,
    wipe,
    rest,
    say,
    status,
    aside(lines) {
      const before = drawn;
      wipe();
      flow.pause();
      for (const line of lines) surface.writeAside(`${line}\n`);
      if (before !== undefined) status(before);
    },
    remark: (text, style = paint.dim) => say(wrapped(text, columns).map(style)),
  };
}

/** A title is cut rather than broken; where hardly any of it would be left, it goes to a line of its own. */
function openedLine({ conversation, model, isDemo, title }: Opened, columns: number): string {
  const line = `conversation ${conversation}  ${visible(model)}${isDemo ? " (scripted demo, not an AI)" : ""}`;
  if (title === undefined) return line;
  const room = columns - textWidth(line) - QUOTE_CELLS;
  if (room < TITLE_CELLS_MIN) return `${line}\n“${truncate(visible(title), columns - 2)}”`;
  return `${line}  “${truncate(visible(title), room)}”`;
}

/** Two spaces and the marks around a title. */
const QUOTE_CELLS = 4;
const TITLE_CELLS_MIN = 12;

function draw(canvas: Canvas, drawing: Drawing): void {
  const { surface, flow } = canvas;
  switch (drawing.kind) {
    case "text":
      if (surface.isTextLive) canvas.wipe();
      if (surface.isTextLive) flow.add(drawing.delta);
      break;
    case "step-over":
      flow.endSegment();
      canvas.status("…");
      break;
    case "retracted":
      if (flow.retract()) canvas.remark("(the text above broke off and is void; asking again)");
      break;
    case "status":
      canvas.status(drawing.text);
      break;
    case "lines":
      canvas.say(drawing.lines);
      canvas.status("…");
      break;
    case "remark":
      canvas.remark(drawing.text);
      break;
    case "warning":
      canvas.remark(drawing.text, surface.paint.yellow);
      break;
    case "nothing":
      break;
  }
}

/** A turn's end. Only the last one's text is the answer; an earlier one that was finished on the way stands aside. */
function tell(
  canvas: Canvas,
  report: TurnReport,
  { isLast, answersWith }: { readonly isLast: boolean; readonly answersWith: AnswersWith },
): void {
  const { surface, flow } = canvas;
  const { paint } = surface;
  const hasText = report.text !== "" && !(surface.isTextLive && flow.hasShown(report.text));
  if (hasText && report.isRecovered) canvas.remark("(went on where the last turn had stopped)");
  if (hasText && (surface.isTextLive || isLast)) writeAnswer(canvas, report.text);
  else if (hasText) canvas.say(visibleLines(report.text).split("\n"));
  if (report.outcome === "interrupted-by-user") canvas.remark("(interrupted; what was done is kept)");
  if (report.notice !== undefined) {
    canvas.remark(report.notice, report.outcome === "completed" ? paint.yellow : paint.red);
  }
  // At a prompt the notice itself says /retry.
  if (report.outcome === "failed" && isLast && answersWith === "flags") canvas.remark(retryText(report, answersWith));
  if (report.outcome === "waiting") tellWaiting(canvas, report, answersWith);
}

function tellWaiting(
  { surface, say }: Canvas,
  { questions, conversation }: TurnReport,
  answersWith: AnswersWith,
): void {
  for (const { question } of questions) {
    const how =
      answersWith === "slash"
        ? ["It waits for your answer; /continue asks again."]
        : ["It waits for your answer:", ...answerLines(question, conversation)];
    say([...questionLines(question, surface), ...how]);
  }
}

/** What another terminal said, or this one before: shown as the beginning of what follows. */
function tellSaid({ surface, say }: Canvas, { text, isRecovered }: SaidElsewhere): void {
  const mark = isRecovered ? "(goes on with what was said before)" : "(said elsewhere)";
  say([...quoted(text, surface.columns), mark].map(surface.paint.dim));
}

function tellRecalled(canvas: Canvas, recalled: Recalled, answersWith: AnswersWith): void {
  const { surface, say, remark } = canvas;
  const { paint } = surface;
  const { said, answer, isCut, because, reason } = recalled;
  const isUnanswered = said !== null && answer === null;
  if (because === "duplicate") remark("This message came before; it was not sent again.");
  else if (isUnanswered) remark("The last message has no answer.");
  else if (because === "idle") remark("Nothing is left to do here.");
  if (said !== null) say(quoted(said, surface.columns).map(paint.dim));
  if (answer !== null) writeAnswer(canvas, answer);
  if (isCut) remark("(the answer was cut here by an interruption)");
  if (!isUnanswered) return;
  remark(`(it has no answer${reason === null ? "" : `; ${reason}`})`);
  remark(retryText(recalled, answersWith));
}

function retryText({ conversation }: { readonly conversation: string }, answersWith: AnswersWith): string {
  return answersWith === "slash" ? "/retry asks it again." : `talaria chat -r ${conversation} --retry asks it again.`;
}

export function answeredText(answer: ApprovalAnswer): string {
  return `(answered elsewhere: ${answer === "deny" ? "denied" : answer})`;
}

/** The whole of it stands in its own conversation. */
const BACKGROUND_LINES_MAX = 8;

function backgroundLines({ task, text }: BackgroundDone, columns: number): string[] {
  const lines = wrapped(`(background ${task} is done) ${text}`, columns);
  if (lines.length <= BACKGROUND_LINES_MAX) return lines;
  return [...lines.slice(0, BACKGROUND_LINES_MAX), `… /resume ${task} shows all of it.`];
}

const QUOTED_LINES_MAX = 6;

function quoted(text: string, columns: number): string[] {
  const lines = wrapped(text, columns - 2);
  const shown = lines.slice(0, QUOTED_LINES_MAX).map((line) => `> ${line}`);
  return lines.length > shown.length ? [...shown, "> …"] : shown;
}

function wrapped(text: string, columns: number): string[] {
  return visibleLines(text)
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrap(line, columns - 1));
}

/** [LS-12] Unchanged where a program may read it; a terminal gets it broken between words, without control characters. */
function writeAnswer({ surface, flow }: Canvas, text: string): void {
  if (!surface.isTextLive) {
    surface.writeText(text.endsWith("\n") ? text : `${text}\n`);
    return;
  }
  flow.add(text);
  flow.endSegment();
}
