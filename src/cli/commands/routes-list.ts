/** `talaria routes list`. */
import { visible } from "#base/text-width.js";
import type { Route } from "#session/verbs/routes.js";
import type { CliContext } from "../command.js";
import { shortIdsOf } from "./sessions-find.js";
import { withReader } from "./sessions-store.js";

export interface RoutesListOptions {
  readonly platform?: string;
  readonly limit: number;
  readonly after?: string;
}

export function listRoutes(context: CliContext, options: RoutesListOptions): Promise<void> {
  return withReader(context, async (store) => {
    const { platform, limit, after } = options;
    const rows = await store.routes({
      limit: limit + 1,
      ...(platform === undefined ? {} : { platform }),
      ...(after === undefined ? {} : { afterKey: after }),
    });
    const shown = rows.slice(0, limit);
    const next = rows.length > limit ? (shown.at(-1)?.key ?? null) : null;
    const { out } = context;
    if (out.json) return out.document({ routes: shown.map(routeDocument), next });
    const shortId = await shortIdsOf(
      store,
      shown.map(({ conversation }) => conversation),
    );
    out.table<Route>(
      [
        { title: "CHAT", value: ({ key }) => key.replace(OUR_AGENT, ""), flexible: true },
        { title: "SESSION", value: ({ conversation }) => shortId(conversation) },
        { title: "TITLE", value: ({ title, name }) => title ?? name ?? "", flexible: true },
        { title: "USED", value: ({ usedMs }) => out.time(usedMs) },
        { title: "STATE", value: stateOf, paint: (text) => out.paint.dim(text) },
      ],
      shown,
      after !== undefined
        ? "No more routes."
        : platform === undefined
          ? "No routes. A chat gets one with its first message."
          : "No routes on this platform; talaria routes list shows all.",
    );
    if (next !== null) out.note(`More: talaria routes list --after '${visible(next).replaceAll("'", "'\\''")}'`);
  });
}

/** Every key of ours begins like this; what tells them apart comes after it. */
const OUR_AGENT = /^agent:main:/;

function stateOf({ suspendedReason, expiredMs, resumeReason }: Route): string {
  if (suspendedReason !== null) return "suspended";
  if (expiredMs !== null) return "expired";
  return resumeReason === null ? "active" : "to resume";
}

function routeDocument(route: Route): Readonly<Record<string, unknown>> {
  const iso = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString());
  return {
    key: route.key,
    conversation: route.conversation,
    session: route.session,
    title: route.title,
    platform: route.platform,
    chatType: route.chatType,
    name: route.name,
    created: iso(route.createdMs),
    used: iso(route.usedMs),
    expires: iso(route.expiresMs),
    expired: iso(route.expiredMs),
    suspended: route.suspendedReason,
    resume: route.resumeReason,
    policy: route.policy,
  };
}
