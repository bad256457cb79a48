/** About the host, and about this client's line to it. */
import { PROTOCOL_NUMBER } from "#protocol/methods.js";
import { Refusal } from "../failure.js";
import type { HandlersOf } from "../handler.js";
import { leaveGracefully } from "../leaving.js";
import { isNewer } from "../version.js";

const CLOSE_REASONS: ReadonlySet<string> = new Set(["cli_close", "tui_close", "api_close"]);

export const hostHandlers: HandlersOf<"host.hello" | "host.status" | "host.stop" | "host.maintain" | "connection.bye"> =
  {
    "host.hello"({ host, control }, { client, version, cwd, variables }, { connection }) {
      connection.client = client;
      connection.cwd = cwd;
      if (/^talaria-cli\b/.test(client)) connection.platform = "cli";
      // A page has no shell, and nothing about this one's is told to it.
      const isShell = connection.wire.kind === "socket" && variables !== undefined;
      const others = isShell ? control.otherVariables(variables) : [];
      const notes = control.notes();
      return {
        version: host.version,
        protocol: PROTOCOL_NUMBER,
        pid: host.pid,
        home: host.home,
        epoch: host.epoch,
        started_at: host.startedMs / 1000,
        ...(isNewer(version, host.version) ? { is_newer_client: true } : {}),
        ...(others.length === 0 ? {} : { other_variables: [...others] }),
        ...(notes.length === 0 ? {} : { notes: [...notes] }),
      };
    },
    "host.status": ({ control, connections }) => control.status(connections.count()),
    async "host.stop"({ control }, wish, { after }) {
      const { answer, begin } = await control.stop(wish);
      after(begin);
      return answer;
    },
    async "host.maintain"({ control }, { verb, args }, { connection }) {
      // Whoever may open the socket may open the files; a page with a token may not.
      if (connection.wire.kind !== "socket") throw new Refusal("notAvailable", "only from this machine's own shell");
      return { value: await control.maintain(verb, args) };
    },
    async "connection.bye"(server, { reason = "tui_close" }, { connection }) {
      const known = CLOSE_REASONS.has(reason) ? reason : "tui_close";
      return { closed: await leaveGracefully(server, connection, known) };
    },
  };
