/** Methods that turn files, pictures and pastes into input. */
import { z } from "zod";
import { count, path, said, sid } from "../shapes.js";

const imageMeta = {
  count: count.optional(),
  width: count.optional(),
  height: count.optional(),
  token_estimate: count.optional(),
};

export const inputMethods = {
  "input.detect_drop": {
    params: z.object({ session_id: sid, text: said }),
    result: z.strictObject({
      matched: z.boolean(),
      is_image: z.boolean().optional(),
      path: z.string().optional(),
      name: z.string().optional(),
      text: z.string().optional(),
      ...imageMeta,
    }),
  },
  "image.attach": {
    params: z.object({ session_id: sid, path: path.default("") }),
    result: z.strictObject({
      attached: z.boolean(),
      path: z.string(),
      remainder: z.string(),
      text: z.string(),
      name: z.string(),
      ...imageMeta,
      count,
    }),
  },
  "clipboard.paste": {
    params: z.object({ session_id: sid }),
    result: z.strictObject({
      attached: z.boolean(),
      message: z.string().optional(),
      path: z.string().optional(),
      name: z.string().optional(),
      ...imageMeta,
    }),
  },
  "paste.collapse": {
    params: z.object({ text: said }),
    result: z.strictObject({ placeholder: z.string(), path: z.string(), lines: count }),
  },
} as const;
