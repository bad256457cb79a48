import { describePlatform } from "../../../src/platform/contract/platform.contract.js";
import { telegramScene } from "./scene.js";

describePlatform("Telegram", () => telegramScene());
