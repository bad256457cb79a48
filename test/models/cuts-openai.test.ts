import { describeCuts } from "./support/cuts.js";

describeCuts("openai");
describeCuts("google");
