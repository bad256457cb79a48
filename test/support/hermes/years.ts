/** A home with a bit of everything, of any size: chains, branches, undone and archived messages, routes. */
import { type HermesHome, hermesHome, routeEntry, SUMMARY } from "./home.js";

export function yearsOfHistory(sessions: number, messages: number): HermesHome {
  const home = hermesHome();
  const routes: Record<string, unknown> = { _README: "the routing index" };
  const idOf = (index: number): string => `2026060${1 + (index % 9)}_120000_${index.toString(16).padStart(8, "0")}`;
  for (let index = 0; index < sessions; index++) {
    const id = idOf(index);
    const startedAt = 1_750_000_000 + index * 100;
    const isChild = index % 5 === 4;
    home.session({
      id,
      source: index % 2 === 0 ? "cli" : "telegram",
      user_id: index % 2 === 0 ? null : String(index % 7),
      title: index % 3 === 0 ? `session ${index}` : null,
      system_prompt: `You are number ${index % 4}.`,
      parent_session_id: isChild ? idOf(index - 1) : null,
      started_at: startedAt,
      ended_at: startedAt + 90,
      end_reason: index % 5 === 3 ? (index % 2 === 0 ? "compression" : "branched") : "cli_close",
    });
    if (isChild) home.message({ session_id: id, role: "assistant", content: SUMMARY, timestamp: startedAt });
    for (let number = 0; number < messages; number++)
      addTurn(home, { id, index, number, timestamp: startedAt + number });
    if (index % 10 === 0) routes[`agent:main:telegram:dm:${index}`] = routeEntry(`agent:main:telegram:dm:${index}`, id);
  }
  home.routes(routes);
  home.close();
  return home;
}

function addTurn(
  home: HermesHome,
  { id, index, number, timestamp }: { id: string; index: number; number: number; timestamp: number },
): void {
  const isArchived = index % 7 === 0 && number < 4;
  const flags = { active: isArchived || (index % 6 === 1 && number % 5 === 0) ? 0 : 1, compacted: isArchived ? 1 : 0 };
  const common = { session_id: id, timestamp, ...flags };
  const calls = JSON.stringify([
    { id: `call-${index}-${number}`, type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } },
  ]);
  if (number % 3 === 0) home.message({ ...common, content: `question ${number} of session ${index}` });
  else if (number % 3 === 1)
    home.message({ ...common, role: "assistant", content: `looking into ${number}`, tool_calls: calls });
  else
    home.message({ ...common, role: "tool", content: `result ${number}`, tool_call_id: `call-${index}-${number - 1}` });
}
