/**
 * Places that need more care than "inside or outside the working directory": this program's own home, where other
 * programs keep credentials, what a shell reads when it starts, devices and the kernel's windows into processes.
 * Pure: judges real paths by their names. Names are compared in lower case, since some file systems do not care.
 */
export interface Places {
  /** This program's home, real. */
  readonly home: string;
  /** The person's own folder, real. */
  readonly personHome: string;
}

export type Place =
  | { readonly kind: "ordinary" }
  /** Nobody's business: a device, a process's memory. */
  | { readonly kind: "forbidden"; readonly what: string }
  /** Ours. `secret` may not even be read; `settings` may be read by asking. */
  | { readonly kind: "own"; readonly part: "secret" | "settings" | "spool" | "other"; readonly what: string }
  | { readonly kind: "credentials"; readonly what: string }
  /** Whatever is written there runs later, by itself. */
  | { readonly kind: "startup"; readonly what: string };

/** Whole output of commands, inside the home; the result of a call names its file. */
export const SPOOL_FOLDER = "run/output";
const SPOOLED = new RegExp(`^${SPOOL_FOLDER}/[^/]+\\.txt$`);

export function placeOf(path: string, places: Places): Place {
  const lower = path.toLowerCase();
  const own = within(lower, places.home.toLowerCase());
  if (own !== undefined) return ownPlace(own);
  const device = forbiddenPlace(lower);
  if (device !== undefined) return { kind: "forbidden", what: device };
  const personal = within(lower, places.personHome.toLowerCase());
  if (isCredential(lower, personal)) return { kind: "credentials", what: "other programs keep credentials there" };
  if (isStartup(lower, personal)) return { kind: "startup", what: "what is written there runs later by itself" };
  return { kind: "ordinary" };
}

/** The path below `folder` ("" for the folder itself), or undefined outside it. Both absolute, without `..`. */
export function within(path: string, folder: string): string | undefined {
  if (path === folder) return "";
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

const OWN_SECRETS = /^(?:\.env|state\.db|search\.db)(?:[-.~].*)?$|^(?:run|backups)(?:\/|$)/;
const OWN_SETTINGS = /^(?:config\.yaml|sessions\.json)(?:[-.~].*)?$|^(?:attachments|logs|plugins|hooks)(?:\/|$)/;

function ownPlace(below: string): Place {
  if (SPOOLED.test(below)) return { kind: "own", part: "spool", what: "output of commands" };
  if (OWN_SECRETS.test(below)) return { kind: "own", part: "secret", what: "Talaria's secrets and conversations" };
  if (OWN_SETTINGS.test(below)) return { kind: "own", part: "settings", what: "Talaria's settings and records" };
  // The folder itself is what a recursive write or delete would name.
  return { kind: "own", part: below === "" ? "settings" : "other", what: "Talaria's home" };
}

function forbiddenPlace(path: string): string | undefined {
  if (path.startsWith("/dev/") && path !== "/dev/null" && !path.startsWith("/dev/shm/")) return "a device";
  if (/^\/proc\/(?:\d+|self|thread-self)(?:\/|$)/.test(path)) return "the inside of a process";
  if (/^\/proc\/(?:kcore|kmem|kmsg|sysrq-trigger|keys|key-users)$/.test(path)) return "the inside of the kernel";
  return undefined;
}

/** Folders whose name alone says what is in them, wherever they are. */
const CREDENTIAL_FOLDERS = /(?:^|\/)\.(?:ssh|aws|gnupg|azure|kube|password-store)(?:\/|$)/;
const CREDENTIALS_OF_PERSON =
  /^(?:\.netrc|\.npmrc|\.yarnrc\.yml|\.pypirc|\.pgpass|\.my\.cnf|\.git-credentials|\.vault-token|\.terraformrc|\.boto|\.s3cfg|\.docker\/config\.json|\.cargo\/credentials(?:\.toml)?|\.gem\/credentials|\.terraform\.d\/credentials\.tfrc\.json|\.config\/(?:gh|gcloud|git\/credentials|hub|op|rclone|containers\/auth\.json|google-chrome|chromium)|\.mozilla|\.thunderbird|\.local\/share\/keyrings|library\/keychains)(?:\/|$)/;
const CREDENTIALS_OF_SYSTEM =
  /^(?:\/private)?\/etc\/(?:g?shadow-?|sudoers(?:\.d)?|master\.passwd|ssl\/private|ssh|krb5\.keytab)(?:\/|$)/;

function isCredential(path: string, personal: string | undefined): boolean {
  if (CREDENTIAL_FOLDERS.test(path) || CREDENTIALS_OF_SYSTEM.test(path)) return true;
  return personal !== undefined && CREDENTIALS_OF_PERSON.test(personal);
}

const STARTUP_OF_PERSON =
  /^(?:\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|xprofile|xinitrc|xsession|inputrc|gitconfig|vimrc|npmrc)|\.config\/(?:fish|autostart|systemd|git)|library\/launchagents)(?:\/|$)/;
const STARTUP_OF_REPOSITORY = /(?:^|\/)\.git\/(?:hooks(?:\/|$)|config$)/;

function isStartup(path: string, personal: string | undefined): boolean {
  return STARTUP_OF_REPOSITORY.test(path) || (personal !== undefined && STARTUP_OF_PERSON.test(personal));
}
