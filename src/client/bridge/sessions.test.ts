import { expect, it } from "vitest";
import { BridgeSessions } from "./sessions.js";

it("[WI-10] keeps what a session was opened with only while the host could forget it", () => {
  const sessions = new BridgeSessions();
  const params = { cols: 80, messages: [{ role: "user", content: "hi" }] };
  const asked = { method: "session.create", params };
  sessions.noteAnswer(asked, { session_id: "blank", message_count: 0 });
  expect(sessions.draftOf("blank")).toEqual({ ...params, session_id: "blank" });
  sessions.noteAnswer(asked, { session_id: "stored", message_count: 1 });
  expect(sessions.draftOf("stored")).toBeUndefined();
  expect(sessions.ids()).toEqual(["blank", "stored"]);
});
