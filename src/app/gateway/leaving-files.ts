/**
 * Which files may leave this machine with a reply. A model names them in its words, and nobody is asked when it does:
 * what tools are refused, what a person would have to be asked about because it holds credentials, and this home (but
 * for what people sent us) stay here. Judged when it is sent, by where the path leads then.
 */
import { homedir } from "node:os";
import type { FileVerdict } from "#gateway/gateway.js";
import { locate } from "#tool/guard/paths.js";
import { type Places, placeOf, within } from "#tool/guard/places.js";
import { realPath } from "#tool/guard/real-path.js";

export interface LeavingWish {
  /** This home's root, and its folder of received files. */
  readonly home: { readonly root: string; readonly attachments: string };
  readonly cwd: string;
  readonly personHome?: string;
}

export async function judgeLeaving(path: string, wish: LeavingWish): Promise<FileVerdict> {
  const { home, cwd, personHome = homedir() } = wish;
  const { guard, path: real } = await locate(path, "read", { cwd, home: home.root, personHome });
  if (guard.kind === "refuse") return { kind: "stays", why: guard.why };
  if (real === undefined) return { kind: "stays", why: "nobody can tell where it leads" };
  const settled = async (folder: string): Promise<string> => {
    const found = await realPath(folder, { cwd, personHome });
    return found.kind === "path" ? found.path : folder;
  };
  const places: Places = { home: await settled(home.root), personHome: await settled(personHome) };
  const place = placeOf(real, places);
  if (place.kind === "credentials") return { kind: "stays", why: place.what };
  const isReceived = within(real, await settled(home.attachments)) !== undefined;
  if (place.kind === "own" && !isReceived) return { kind: "stays", why: `${place.what} stay here` };
  return { kind: "may-leave", path: real };
}
