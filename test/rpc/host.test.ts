/** Methods about the host and about leaving it, on the wire. */
import { expect, it } from "vitest";
import { PROTOCOL_NUMBER } from "#protocol/methods.js";
import { overEveryLine } from "./support/stage.js";

overEveryLine(
  "the host",
  [
    { when: { user: "stall" }, text: "I begin", pieceChars: 2, fault: { kind: "stall", at: 1_500 } },
    { text: "Hello." },
  ],
  (scene) => {
    it("says who it is, and whether the client is newer", async () => {
      const client = await scene.client();
      const hello = await client.call("host.hello", { client: "test", version: "0.0.1", protocol: PROTOCOL_NUMBER });
      expect(hello).toMatchObject({ pid: scene.hostPid, protocol: PROTOCOL_NUMBER, home: scene.place.home });
      expect(hello.is_newer_client ?? false).toBe(false);
      // A page is told nothing of the variables; whoever may open the socket may start the host with others.
      const marked = await client.call("host.hello", { variables: { TALARIA_MODEL: "0000000000000000" } });
      expect(marked.other_variables?.includes("TALARIA_MODEL") ?? false).toBe(scene.kind !== "websocket");
      const newer = { client: "test", version: "99.0.0", protocol: PROTOCOL_NUMBER };
      expect(await client.call("host.hello", newer)).toMatchObject({ is_newer_client: true });
    });

    it("says how it is: who is connected, what works and what waits", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "stall" });
      await client.event("message.delta");
      const status = await client.call("host.status");
      expect(status).toMatchObject({ pid: scene.hostPid, platforms: expect.any(Array) });
      expect(status.connections).toBeGreaterThan(0);
      expect(status.working).toBeGreaterThan(0);
      await client.call("session.interrupt", { session_id: id });
      await client.turnEnd(id);
    });

    it("[PR-40] a client that says goodbye closes what only it held, and leaves a running turn alone", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "hello" });
      await client.turnEnd(id);
      const running = await client.call("session.create", { cwd: scene.place.cwd });
      await client.call("prompt.submit", { session_id: running.session_id, text: "stall" });
      await client.event("message.delta", ({ session_id }) => session_id === running.session_id);
      const { closed } = await client.call("connection.bye", {});
      expect(closed).toBe(1);
      const later = await scene.client();
      later.joinedInside.add(running.session_id);
      const { sessions } = await later.call("session.list", { limit: 500 });
      expect(sessions.find((one) => one.id === id)?.end_reason).toEqual(expect.any(String));
      const back = await later.call("session.resume", { session_id: running.session_id });
      expect(back).toMatchObject({ running: true, status: "working" });
      await later.call("session.interrupt", { session_id: running.session_id });
      await later.turnEnd(running.session_id);
    });

    it("[PR-40] closing while another client is there only detaches", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "hello" });
      await client.turnEnd(id);
      const other = await scene.client();
      await other.call("session.resume", { session_id: id });
      await client.call("session.close", { session_id: id });
      await other.call("prompt.submit", { session_id: id, text: "still here" });
      expect((await other.turnEnd(id)).payload).toMatchObject({ status: "complete" });
      expect(client.of(id).filter(({ type }) => type === "message.start")).toHaveLength(1);
      const { sessions } = await other.call("session.list", { limit: 500 });
      expect(sessions.find((one) => one.id === id)?.end_reason).toBeUndefined();
    });
  },
);
