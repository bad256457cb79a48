/**
 * What a person is asked about before it runs. Each kind has a name that never changes, since a grant for a session or
 * for ever is stored under it (`terminal:<name>`), and words for the question.
 */
import { findDeletes } from "./floor.js";
import { hasOption, type Invocation, operands } from "./invocation.js";

export const KINDS = {
  "recursive-delete": "deletes folders with everything in them",
  overwrite: "overwrites files beyond recovery",
  elevate: "runs with other rights than yours",
  "git-discard": "throws away work that git cannot bring back",
  "git-force": "overwrites or deletes what others may already have from a repository",
  "git-settings": "changes what git runs by itself",
  "pipe-to-shell": "runs text that a command prints",
  eval: "runs text that is put together while it runs",
  "computed-command": "runs a command whose name is only known while it runs",
  "inline-code": "runs code that can start processes or delete files",
  publish: "publishes something or changes what is published",
  containers: "removes containers, images or volumes, or opens this machine to one",
  infrastructure: "changes or destroys infrastructure",
  database: "deletes data from a database",
  services: "stops or changes services of this machine",
  permissions: "opens permissions, or changes them for whole folders",
  "system-write": "writes where the system keeps its files",
  "write-outside": "writes outside the working directory",
  "startup-file": "writes what runs later by itself",
  credentials: "touches where other programs keep credentials",
  "link-outside": "makes a link to what is outside the working directory",
  "home-copy": "reads or copies a folder that Talaria's own one is in",
  "own-home": "touches Talaria's own folder",
  "own-program": "runs Talaria itself",
  "debug-process": "looks into processes that run already",
  kill: "ends processes",
  schedule: "makes something run later by itself",
  remote: "works on another machine",
  upload: "sends files or opens a connection of its own",
  disks: "changes disks or what is mounted",
  "network-settings": "changes the network of this machine",
  accounts: "changes accounts of this machine",
  packages: "changes what is installed on this machine",
  kernel: "changes the running system",
  device: "writes to a device",
  "open-interpreter": "starts a program that does what is written to it later",
  unclear: "cannot be understood before it runs",
} as const;

export type Kind = keyof typeof KINDS;

/** The kinds that follow from name and arguments alone. */
export function kindsOf({ name, args, wrappers }: Invocation): readonly Kind[] {
  const kinds: Kind[] = [];
  if (wrappers.some((wrapper) => ELEVATING.test(wrapper)) || ELEVATING.test(name)) kinds.push("elevate");
  if (wrappers.includes("systemd-run")) kinds.push("schedule");
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  const found = rule?.(args);
  if (found !== undefined) kinds.push(found);
  if (REPLACES.test(name) && operands(args).includes("/dev/null")) kinds.push("device");
  for (const [pattern, kind] of BY_NAME) if (pattern.test(name)) kinds.push(kind);
  return kinds;
}

const ELEVATING = /^(?:sudo|sudoedit|doas|pkexec|su|runuser|chroot|nsenter|unshare|setpriv|capsh|setcap)$/;

/** Others write into it; these put something else in its place. */
const REPLACES = /^(?:mv|rm|unlink|ln|install|chmod|chown|shred)$/;

type Rule = (args: readonly string[]) => Kind | undefined;

const when =
  (kind: Kind, pattern: RegExp): Rule =>
  (args) =>
    pattern.test(` ${args.join(" ")} `) ? kind : undefined;

/** Names that are enough. */
const BY_NAME: readonly (readonly [RegExp, Kind])[] = [
  [/^(?:rimraf|srm|wipe|trash)$/, "recursive-delete"],
  [/^(?:shred)$/, "overwrite"],
  [/^(?:ssh|scp|sftp|mosh|telnet|ftp|lftp|rclone|autossh|sshfs|ssh-copy-id)$/, "remote"],
  [/^(?:nc|ncat|netcat|socat)$/, "upload"],
  [
    /^(?:useradd|userdel|usermod|adduser|deluser|groupadd|groupdel|groupmod|passwd|chpasswd|visudo|chsh|chfn|dscl|gpasswd|vipw)$/,
    "accounts",
  ],
  [
    /^(?:iptables|ip6tables|iptables-restore|nft|ufw|firewall-cmd|pfctl|networksetup|nmcli|ifconfig|route)$/,
    "network-settings",
  ],
  [
    /^(?:fdisk|sfdisk|sgdisk|parted|umount|losetup|swapoff|lvremove|vgremove|pvremove|zpool|cryptsetup|hdparm|diskutil|resize2fs|tune2fs|fsck(?:\..*)?)$/,
    "disks",
  ],
  [/^(?:modprobe|insmod|rmmod|kexec|setenforce|csrutil|spctl|nvram|efibootmgr|grub-install|update-grub)$/, "kernel"],
  [/^(?:pkill|killall|skill|xkill)$/, "kill"],
  [/^(?:at|batch)$/, "schedule"],
  [/^(?:dropdb|dropuser)$/, "database"],
  [/^(?:talaria|talaria-agent|talaria\.cjs)$/, "own-program"],
];

const PACKAGES =
  /^ (?:-\S+ )*(?:install|reinstall|add|del|remove|purge|autoremove|upgrade|dist-upgrade|full-upgrade|erase|uninstall|downgrade|update|dup|in|rm) /;
const CONTAINERS =
  / (?:prune|rmi|rm|kill|volume rm|network rm|down|swarm leave) |--privileged|--pid[= ]host|--cap-add|docker\.sock| (?:-v|--volume) \/:|--volume=\/:|source=\/,/;
const PUBLISH = / (?:publish|unpublish|deprecate|dist-tag|owner|token|adduser|login|access|push|yank|upload|deploy) /;

const RULES: Readonly<Record<string, Rule>> = {
  rm: (args) => (hasOption(args, "rRd", "recursive", "dir") ? "recursive-delete" : undefined),
  find: (args) => (findDeletes(args) ? "recursive-delete" : undefined),
  rsync: (args) =>
    args.some((arg) => /^--(?:del|remove-source)/.test(arg))
      ? "recursive-delete"
      : operands(args).some((arg) => /^[^/]+:/.test(arg))
        ? "remote"
        : undefined,
  truncate: (args) => (args.length > 0 ? "overwrite" : undefined),
  git: gitKind,
  gh: when(
    "publish",
    / (?:release (?:create|delete|upload)|repo (?:delete|edit|archive|rename|transfer)|secret|pr merge|auth|api .*(?:DELETE|PUT|POST|PATCH)|workflow run|ssh-key|gpg-key) /,
  ),
  npm: when("publish", PUBLISH),
  pnpm: when("publish", PUBLISH),
  yarn: when("publish", PUBLISH),
  bun: when("publish", / publish /),
  cargo: when("publish", / (?:publish|yank|owner|login) /),
  gem: when("publish", / (?:push|yank|owner|signin) /),
  twine: when("publish", / upload /),
  poetry: when("publish", / publish /),
  uv: when("publish", / publish /),
  mvn: when("publish", / deploy/),
  vsce: when("publish", / (?:publish|unpublish) /),
  docker: (args) => when("containers", CONTAINERS)(args) ?? when("publish", / push | login /)(args),
  podman: (args) => when("containers", CONTAINERS)(args) ?? when("publish", / push | login /)(args),
  nerdctl: when("containers", CONTAINERS),
  "docker-compose": when("containers", CONTAINERS),
  kubectl: when("infrastructure", / (?:delete|drain|cordon|replace|scale|rollout|exec|apply|patch|edit|taint) /),
  helm: when("infrastructure", / (?:uninstall|delete|upgrade|rollback|install) /),
  terraform: when("infrastructure", / (?:destroy|apply|import|taint|state (?:rm|mv|push)|force-unlock) /),
  tofu: when("infrastructure", / (?:destroy|apply|import|taint|state (?:rm|mv|push)|force-unlock) /),
  pulumi: when("infrastructure", / (?:destroy|up|import|stack rm|state) /),
  "ansible-playbook": () => "infrastructure",
  aws: when(
    "infrastructure",
    / (?:rm|rb|mv|sync|delete\S*|terminate\S*|put\S*|create\S*|update\S*|stop\S*|reboot\S*|deregister\S*|modify\S*) /,
  ),
  gcloud: when("infrastructure", / (?:delete|create|update|stop|reset|deploy|add-iam\S*|remove-iam\S*) /),
  az: when("infrastructure", / (?:delete|create|update|stop|purge|deallocate) /),
  heroku: when("infrastructure", /(?:destroy|delete|pg:reset|config:set|rollback| restart )/),
  flyctl: when("infrastructure", / (?:deploy|destroy|scale|secrets) /),
  fly: when("infrastructure", / (?:deploy|destroy|scale|secrets) /),
  vercel: when("publish", / (?:deploy|rm|remove|--prod|promote|rollback|env) /),
  wrangler: when("publish", / (?:deploy|delete|publish|secret) /),
  firebase: when("publish", / (?:deploy|\S*:delete|\S*:set) /),
  netlify: when("publish", / (?:deploy|sites:delete) /),
  "redis-cli": when("database", / (?:flushall|flushdb|del|shutdown|config set) /i),
  mysqladmin: when("database", / (?:drop|shutdown) /),
  systemctl: when(
    "services",
    / (?:stop|restart|disable|enable|mask|unmask|kill|isolate|start|edit|set-default|daemon-reexec|reload|try-restart|link|revert) /,
  ),
  service: when("services", / (?:stop|restart|start|reload|force-reload) /),
  "rc-service": when("services", / (?:stop|restart|start) /),
  launchctl: when("services", / (?:unload|load|bootout|bootstrap|remove|disable|enable|kill|kickstart|submit) /),
  supervisorctl: when("services", / (?:stop|restart|shutdown|remove) /),
  pm2: when("services", / (?:delete|kill|stop|restart|del) /),
  chmod: when(
    "permissions",
    / -\S*R| --recursive | 0?[0-7]?[0-7][0-7][2367] | [ugoa]*[oa][ugoa]*[+=][rx]*w| \+[rx]*w|[+=]\S*s | [2-7][0-7]{3} /,
  ),
  chown: () => "permissions",
  chgrp: when("permissions", / -\S*R| --recursive /),
  setfacl: () => "permissions",
  chattr: () => "permissions",
  kill: (args) =>
    args.some((arg) => /^-(?:l|L|0)$/.test(arg) || arg === "--list") ||
    (operands(args).every((arg) => arg.startsWith("%")) && operands(args).length > 0)
      ? undefined
      : "kill",
  fuser: (args) => (hasOption(args, "k", "kill") ? "kill" : undefined),
  crontab: (args) => (args.length === 1 && args[0] === "-l" ? undefined : "schedule"),
  mount: (args) => (args.length === 0 || args[0] === "-l" ? undefined : "disks"),
  zfs: when("disks", / (?:destroy|rollback|rename|set) /),
  dd: when("disks", / if=\/dev\/(?!zero|u?random|null)/),
  sysctl: when("kernel", / -w|=| -p | --system /),
  ip: when("network-settings", / (?:add|del|delete|set|flush|change|replace) /),
  apt: when("packages", PACKAGES),
  "apt-get": when("packages", PACKAGES),
  aptitude: when("packages", PACKAGES),
  dpkg: when("packages", / (?:-i|-r|-P|--install|--remove|--purge) /),
  yum: when("packages", PACKAGES),
  dnf: when("packages", PACKAGES),
  zypper: when("packages", PACKAGES),
  apk: when("packages", PACKAGES),
  pacman: when("packages", / -\S*[SRU]\S* | --(?:remove|sync|upgrade) /),
  snap: when("packages", PACKAGES),
  flatpak: when("packages", PACKAGES),
  brew: when("packages", / (?:uninstall|remove|rm|upgrade|install|cleanup|autoremove|services) /),
  rpm: when("packages", / -\S*[ieUF]\S* | --(?:install|erase|upgrade) /),
  curl: when(
    "upload",
    / (?:-T|--upload-file|-\S*F|--form|-K|--config) | (?:-\S*d|--data\S*|--json) @|@\/| -\S*d@| --data\S*=@/,
  ),
  wget: when("upload", / --(?:post-file|body-file|post-data)[= ]/),
};

/** Options of git itself come first, some with a value. */
function gitKind(args: readonly string[]): Kind | undefined {
  let at = 0;
  let isTampered = false;
  for (; (args[at] ?? "").startsWith("-"); at++) {
    const option = args[at] ?? "";
    if (/^(?:-c|--config-env)$/.test(option)) isTampered ||= RUNS_BY_ITSELF.test(args[at + 1] ?? "");
    if (/^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/.test(option)) at++;
  }
  const [verb = "", ...rest] = args.slice(at);
  const text = ` ${rest.join(" ")} `;
  if (isTampered) return "git-settings";
  if (verb === "push") return FORCED.test(text) ? "git-force" : undefined;
  if (verb === "config")
    return / --(?:global|system) /.test(text) || RUNS_BY_ITSELF.test(text.trim()) ? "git-settings" : undefined;
  return Object.hasOwn(DISCARDING, verb) && DISCARDING[verb]?.test(text) ? "git-discard" : undefined;
}

const RUNS_BY_ITSELF =
  /^(?:--\S+ )*(?:alias\.|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|gitproxy|askpass)|credential\.|diff\.|difftool\.|merge\.|mergetool\.|filter\.|pager\.|gpg\.|sequence\.editor|uploadpack\.|protocol\.|url\.|include\.|includeif\.)/i;
const FORCED = / (?:-\S*f\S*|--force\S*|--mirror|--delete|-d|--prune|\+\S+|:\S+) /;
const DISCARDING: Readonly<Record<string, RegExp>> = {
  reset: / --hard /,
  clean: / -\S*[fdxX]| --force /,
  checkout: / (?:--|-f|--force|\.|:\/|--ours|--theirs) /,
  restore: /^(?!.* --staged ).*$|--worktree/s,
  switch: / (?:-f|--force|--discard-changes) /,
  stash: / (?:drop|clear) /,
  branch: / (?:-D|-\S*D\S*|--delete --force|-f|--force) /,
  tag: / (?:-d|--delete|-f|--force) /,
  worktree: / remove .*(?:-f|--force) /,
  "update-ref": / -d /,
  reflog: / (?:expire|delete) /,
  gc: /--prune=(?:now|all)/,
  prune: /.*/s,
  "filter-branch": /.*/s,
  "filter-repo": /.*/s,
  replace: /.*/s,
  remote: / (?:set-url|remove|rm|prune) /,
  submodule: / deinit .*(?:-f|--force) /,
  rm: / -\S*f/,
};

const CLIENTS =
  /^(?:psql|mysql|mariadb|sqlite3?|sqlcmd|clickhouse(?:-client)?|duckdb|cockroach|bq|cqlsh|mongo|mongosh|usql|pgcli|mycli)$/;
const DESTRUCTIVE =
  /\b(?:drop\s{1,8}(?:table|database|schema|index|view|user|role|keyspace|collection)|truncate\s{1,8}\w|delete\s{1,8}from\s{1,8}[\w."'`]{1,128}\s{0,8}(?:;|$|"|')|alter\s{1,8}table\s{1,8}[\w."]{1,128}\s{1,8}drop|dropdatabase|\.drop\(|deletemany\(\s{0,8}\{\s{0,8}\})/im;

/** Whether a database client is given words that delete. */
export function deletesData({ name, args }: Invocation, texts: readonly string[]): boolean {
  return CLIENTS.test(name) && [...args, ...texts].some((text) => DESTRUCTIVE.test(text));
}
