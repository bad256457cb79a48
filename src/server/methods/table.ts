/** Every method's handler. That none is missing is the compiler's business. */
import type { Handlers } from "../handler.js";
import { attachHandlers } from "./attach.js";
import { configHandlers } from "./config.js";
import { hostHandlers } from "./host.js";
import { inputHandlers } from "./input.js";
import { promptHandlers } from "./prompt.js";
import { sessionHandlers } from "./session.js";
import { slashHandlers } from "./slash.js";
import { workHandlers } from "./work.js";

export const HANDLERS: Handlers = {
  ...sessionHandlers,
  ...promptHandlers,
  ...inputHandlers,
  ...slashHandlers,
  ...configHandlers,
  ...workHandlers,
  ...attachHandlers,
  ...hostHandlers,
};
