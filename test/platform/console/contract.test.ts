import { describePlatform } from "#platform/contract/platform.contract.js";
import { consoleScene } from "./peer.js";

describePlatform("the console", consoleScene);
