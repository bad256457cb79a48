/** One POST, on a connection of its own, that follows no redirect, repeats nothing and reads little of the answer. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

/** What is read of an answer; all that is wanted of it is an id. */
const ANSWER_BYTES_MAX = 64 * 1024;

export interface PostAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Empty when it was cut, or longer than is read. */
  readonly body: string;
}

/** Rejects when no status came, whatever the reason; a body that does not end is left. */
export function post(
  url: string,
  given: { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array },
  signal: AbortSignal,
): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const request = url.startsWith("https:") ? requestHttps : requestHttp;
    const headers = { ...given.headers, "content-length": given.body.byteLength };
    const sent = request(url, { method: "POST", headers, agent: false, signal }, (response) => {
      const { statusCode: status = 0 } = response;
      const retryAfter = response.headers["retry-after"];
      const chunks: Buffer[] = [];
      let bytes = 0;
      const end = (isWhole: boolean): void => {
        resolve({ status, retryAfter, body: isWhole ? Buffer.concat(chunks).toString() : "" });
        sent.destroy();
      };
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength;
        if (bytes > ANSWER_BYTES_MAX) end(false);
        else chunks.push(chunk);
      });
      response.once("end", () => end(true));
      response.once("error", () => end(false));
      response.once("close", () => end(false));
    });
    sent.once("error", reject);
    sent.end(given.body);
  });
}
