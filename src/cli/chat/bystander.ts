/**
 * What happens in a conversation while nothing is asked of it here: another terminal speaks in it, its turn goes on, a
 * question waits. It is shown above the prompt, whole, so that it tears nothing that is being typed; words that are not
 * whole yet are kept for whoever speaks into the turn.
 */
import { wrap } from "../format.js";
import type { Glimpse } from "./glimpse.js";
import type { LineInput } from "./input/line-input.js";
import { questionLines } from "./question-lines.js";
import { answeredText, createScreen } from "./screen.js";
import type { SeatEvent, SeatListener } from "./seat.js";
import type { ChatSurface } from "./surface.js";
import type { Talk } from "./talk.js";

export function bystander(surface: ChatSurface, input: LineInput, talk: Talk): SeatListener {
  let written = "";
  const write = (text: string): void => {
    written += text;
  };
  // Nothing is drawn over here, and no text is shown in pieces: the answer comes whole, when it is over.
  const quiet: ChatSurface = {
    ...surface,
    isStatusLive: false,
    writeText: write,
    writeAside: write,
  };
  let screen = createScreen(quiet, "slash");
  return (event) => {
    // What one turn said is not what the next one need not say again.
    if (event.kind === "turn") screen = createScreen(quiet, "slash");
    show(event, { surface, screen, talk, write });
    if (LAST_OF_SOMETHING.has(event.kind)) write("\n");
    const text = written;
    written = "";
    if (text !== "") input.interject(() => surface.writeAside(text));
  };
}

/** An empty line parts it from the prompt. */
const LAST_OF_SOMETHING: ReadonlySet<SeatEvent["kind"]> = new Set(["ended", "question", "background"]);
/** Pieces of what is told whole at the end. */
const PIECES: ReadonlySet<Glimpse["type"]> = new Set(["text", "reasoning", "step", "retracted"]);

interface Shown {
  readonly surface: ChatSurface;
  readonly screen: ReturnType<typeof createScreen>;
  readonly talk: Talk;
  write(text: string): void;
}

function show(event: SeatEvent, { surface, screen, talk, write }: Shown): void {
  const { paint, columns } = surface;
  const say = (text: string, style = paint.dim): void =>
    write(
      wrap(text, columns - 1)
        .map((line) => `${style(line)}\n`)
        .join(""),
    );
  switch (event.kind) {
    case "turn":
      talk.missed.forget();
      if (!talk.isMine(event.input)) say(`(said elsewhere) > ${event.text.split("\n")[0] ?? ""}`);
      break;
    case "glimpse":
      if (PIECES.has(event.glimpse.type)) talk.missed.note(event.glimpse);
      else {
        catchUp(talk, screen);
        screen.glimpse(event.glimpse);
      }
      break;
    case "ended":
      // Its answer is told whole, with what is said of its end.
      talk.missed.forget();
      talk.noteQuestion(undefined);
      screen.ended([event.report]);
      break;
    case "question":
      catchUp(talk, screen);
      talk.noteQuestion(event);
      write(`${questionLines(event.question, surface).join("\n")}\n`);
      say("It waits for an answer; /continue answers it here.");
      break;
    case "answered":
      talk.noteQuestion(undefined);
      say(answeredText(event.answer));
      break;
    case "background":
      screen.background(event);
      break;
    case "line-lost":
      say("The line to the host is lost; everything is kept. It comes back by itself.", paint.yellow);
      break;
    case "unknown":
      say("This conversation is not there any more; the next message begins another.", paint.yellow);
      talk.leave();
      break;
    case "picture":
      // What of it is still to be told comes again.
      talk.missed.forget();
      break;
    case "waits":
    case "line-back":
      break;
  }
}

/** What a step said stands above what it led to. */
function catchUp({ missed }: Talk, screen: Shown["screen"]): void {
  if (missed.isWhole) for (const glimpse of missed.take()) screen.glimpse(glimpse);
}
