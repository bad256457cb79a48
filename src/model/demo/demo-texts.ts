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
  worked: "the tool ran. Its result begins:",
  refused: "the tool was not run, or did not succeed:",
  afterTool:
    "That was a real tool and a real result, stored before you read it. A real model would now go on from it; I cannot. " +
    "Run `talaria setup` to choose one.",
  summary: "These are lines of the conversation as they were; a real model would have summarised them.",
} as const;
