/** What a terminal client asks before anything is said, in the order in which it asks. */
import { expect, it } from "vitest";
import { overEveryLine } from "./support/stage.js";

overEveryLine("start-up", [{ text: "Hello." }], (scene) => {
  it("[PR-10] says that it is ready first and unprompted, without a session", async () => {
    const client = await scene.client();
    expect(client.events[0]).toEqual({ type: "gateway.ready", payload: { skin: expect.any(Object) } });
  });

  it("[PR-10] answers what every client asks at a start", async () => {
    const client = await scene.client();
    const [pet, full, mtime, setup, catalog] = await Promise.all([
      client.call("pet.cells", { state: "idle" }),
      client.call("config.get", { key: "full" }),
      client.call("config.get", { key: "mtime" }),
      client.call("setup.status"),
      client.call("commands.catalog"),
    ]);
    expect(pet).toEqual({ enabled: false });
    expect(full.config).toBeTypeOf("object");
    expect(setup).toEqual({ provider_configured: true });
    expect(catalog.pairs.map(([name]) => name)).toContain("/new");
    expect(await client.call("config.get", { key: "mtime" })).toEqual(mtime);
    expect(JSON.stringify(full)).not.toContain("sk-test");
  });

  it("[PR-10] creates a session under one id, with a panel the client can draw", async () => {
    const client = await scene.client();
    const made = await client.call("session.create", { cols: 80, cwd: scene.place.cwd });
    expect(made.stored_session_id).toBe(made.session_id);
    expect(made).toMatchObject({ message_count: 0, messages: [], info: { model: "openai/scripted", skills: {} } });
    expect(Object.values(made.info.tools).flat()).toContain("read_file");
  });

  it("[PR-11] tells session.info after the answer that made the session, never before", async () => {
    const client = await scene.client();
    const made = await client.call("session.create", { cols: 80 });
    if (made.info.version === undefined) await client.event("session.info");
    const answer = client.journal.indexOf("answer r1");
    const panel = client.journal.indexOf("event session.info");
    expect(panel === -1 || panel > answer).toBe(true);
  });

  it("[PR-12] a session in which nothing was said leaves no trace", async () => {
    const { client, id } = await scene.session();
    expect((await client.call("session.list", { limit: 500 })).sessions.map((one) => one.id)).not.toContain(id);
    await client.call("session.close", { session_id: id });
    expect(await client.fails("session.resume", { session_id: id })).toMatchObject({ code: 4007 });
  });

  it("answers what it polls for", async () => {
    const { client, id } = await scene.session();
    const { sessions } = await client.call("session.active_list", { current_session_id: id });
    expect(sessions.find((one) => one.id === id)).toMatchObject({ current: true, status: "idle", session_key: id });
    expect(await client.call("terminal.resize", { session_id: id, cols: 120 })).toEqual({ cols: 120 });
    expect(await client.call("delegation.status")).toMatchObject({ active: [], paused: false });
    expect(await client.call("reload.mcp", { session_id: id, confirm: true })).toMatchObject({ status: "reloaded" });
  });

  it("tells the models it could use", async () => {
    const client = await scene.client();
    const options = await client.call("model.options");
    expect(options).toMatchObject({ model: expect.stringContaining("scripted"), provider: "openai" });
    expect(options.providers.find(({ is_current }) => is_current)?.slug).toBe("openai");
  });
});
