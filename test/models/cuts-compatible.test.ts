import { describeCuts } from "./support/cuts.js";

describeCuts("openai-compatible");
describeCuts("openrouter");
