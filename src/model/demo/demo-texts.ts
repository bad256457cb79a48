/** Every sentence of the demo model. */

/** Begins every answer. */
export const DEMO_LABEL = "[demo model, not an AI]";

export const DEMO_TEXTS = {
  hello:
    "I am a script that comes with Talaria. I do not understand what you write; I only show that everything around a " +
    "model works without a key.\n\n" +
    "Already true: this conversation is on disk, survives being killed, and can be resumed and searched. Try:\n" +
    "- `read notes.txt` or `list the files`: a tool is called\n" +
    "- `make a todo list`: a list is kept\n" +
    "- `run date` or `delete something`: you may be asked for permission first\n\n" +
    "For a real model run `talaria setup`: it finds keys and local servers (Ollama, LM Studio, llama.cpp, vLLM). Or set " +
    "TALARIA_MODEL=provider/name and the key of that provider.",
  delete:
    "The word for deleting was in your message, so here is a command that would delete something. The folder does not " +
    "exist; what matters is the question you are asked before it runs.",
  run: "You wrote what to run, so I ask the terminal for exactly that.",
  todo: "Here is a list with made-up steps, to show where such a list is kept.",
  items: ["See how a step is marked", "Set up a real model with talaria setup", "Throw this list away"],
  read: "There is a file name in your message, so I ask for that file.",
  search: "You mentioned files or tools, so I ask for the files here.",
  list: "You mentioned files or tools, so I list what is here.",
  /** By what became of a call: what is said of it, whether its result is shown, and what is said at the end. */
  endings: {
    worked: {
      said: "the tool ran. Its result begins:",
      isQuoted: true,
      after:
        "That was a real tool and a real result, stored before you read it. A real model would now go on from it; I cannot.",
    },
    failed: {
      said: "the call did not succeed. What came back:",
      isQuoted: true,
      after: "A real model would now try another way; I cannot.",
    },
    denied: {
      said: "you did not allow it, so nothing was run.",
      isQuoted: false,
      after: "The question and your answer are stored. A real model would now go on without it; I cannot.",
    },
    unasked: {
      said: "this needs your leave, and nobody could be asked, so nothing was run.",
      isQuoted: false,
      after: "In a terminal, `talaria chat` asks you first.",
    },
    refused: {
      said: "this never runs, whatever you allow. Nothing was run:",
      isQuoted: true,
      after:
        "A short list of commands is refused without a question. A real model would now look for another way; I cannot.",
    },
    interrupted: {
      said: "it was interrupted before it finished.",
      isQuoted: false,
      after: "It can be run again: say `continue`.",
    },
    unknown: {
      said: "it was stopped while it ran, so nobody knows whether it had its effect. It is not run again by itself.",
      isQuoted: false,
      after: "Look at what it did before you ask for it again.",
    },
  },
  setUp: "Run `talaria setup` to choose a real model.",
  goOn:
    "There is nothing of mine to go on with: I only answer words that I know. What was said before is all still here, and a real " +
    "model would go on from it. Run `talaria setup` to choose one.",
  summary: "These are lines of the conversation as they were; a real model would have summarised them.",
} as const;
