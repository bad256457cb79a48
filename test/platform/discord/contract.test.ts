import { describePlatform } from "../../../src/platform/contract/platform.contract.js";
import { openDiscordScene } from "./fake-discord/scene.js";

describePlatform("Discord", openDiscordScene);
