import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.js";
import { createModel } from "../../src/model/create-model.js";
import { type ModelServer, startModelServer } from "../support/model-server/server.js";
import { ask, failed, PROVIDERS, specOf } from "./support/step.js";

let elsewhere: ModelServer;
let sender: Server;
let status = 307;
beforeAll(async () => {
  elsewhere = await startModelServer({ script: () => ({ text: "mine now" }) });
  sender = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { location: `${elsewhere.url}${request.url}` }).end();
  });
  await new Promise<void>((resolve) => void sender.listen(0, "127.0.0.1", resolve));
});
afterEach(() => elsewhere.forget());
afterAll(async () => {
  sender.closeAllConnections();
  await new Promise((resolve) => sender.close(resolve));
  await elsewhere.close();
});

describe.each(PROVIDERS)("a redirect of %s", (provider) => {
  it.each([302, 307, 308])("[MD-18] with %i carries neither key nor conversation away", async (code) => {
    status = code;
    const url = `http://127.0.0.1:${(sender.address() as AddressInfo).port}`;
    const model = await createModel(specOf(provider, url), { clock: systemClock });
    expect(failed(await ask(model)).failure).toMatchObject({
      cause: "malformed",
      message: expect.stringContaining("redirect"),
    });
    expect(elsewhere.exchanges).toEqual([]);
  });
});
