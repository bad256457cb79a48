import { describePlatform } from "../../../src/platform/contract/platform.contract.js";
import { slackScene } from "./scene.js";

describePlatform("Slack by socket", () => slackScene("socket"));
describePlatform("Slack by HTTP", () => slackScene("http"));
