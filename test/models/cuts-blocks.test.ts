import { describeCuts } from "./support/cuts.js";

describeCuts("openai-responses");
describeCuts("anthropic");
