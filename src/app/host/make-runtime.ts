/**
 * What runs a host's turns: the agent, its tools and its prompt. Loaded with the first turn, because a host that only
 * serves lists and waits needs none of it.
 */
import { type ChatWordsParts, chatWords } from "#gateway/words.js";
import { builtInLimits } from "#platform/registry.js";
import { createRuntime, type Runtime } from "#runtime/runtime.js";
import { selectTools } from "#tool/toolset.js";
import { runtimeParts } from "../runtime-parts.js";
import type { WorksParts } from "./make-server.js";

export async function makeRuntime(works: WorksParts): Promise<Runtime> {
  const { wish, opened, extensions, store, models, processes, cwd } = works;
  const { disabled } = wish.config.values.agent.tools;
  // Also in a host without platforms: what it answers to a chat is sent by the gateway, as it was stored.
  const limits = await builtInLimits();
  const log = wish.log.child({ component: "runtime" });
  const parts = runtimeParts(
    { ...wish, cwd, isYolo: false, log },
    // Asked for at the beginning of every turn: none begins before hooks and plugins are there.
    { store, host: opened.host, processes, models: () => extensions.ready.then(() => models.open()) },
  );
  return createRuntime({
    ...parts,
    tools: async (ports) => selectTools([...(await parts.tools(ports)), ...extensions.tools()], { disabled }).tools,
    interceptors: (turn) => extensions.interceptors(turn),
    chat: chatWords({ limitsOf: (platform) => limits.get(platform), ...ownersLeave(works) }),
  });
}

/** Where owners alone give leave, one of them has to hear of a question. */
function ownersLeave({ wish, store, extensions }: WorksParts): Pick<ChatWordsParts, "owner"> {
  if (wish.config.values.gateway.approvals !== "owner") return {};
  return {
    owner: async (asked) => {
      const [{ accountsOf }, { reachOwner }] = await Promise.all([
        import("../gateway/accounts.js"),
        import("#gateway/access/owner-chat.js"),
      ]);
      const { accounts } = await accountsOf(wish, extensions.platforms());
      return reachOwner({ store, clock: wish.clock, accounts }, asked);
    },
  };
}
