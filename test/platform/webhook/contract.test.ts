import { describePlatform } from "#platform/contract/platform.contract.js";
import { webhookScene } from "./peer.js";

describePlatform("the webhook", webhookScene);
