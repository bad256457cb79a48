/** Announcements: in order for each hook, nobody waits, and what is too much is dropped and counted. */
import { expect, it } from "vitest";
import { HookScene, settled, until } from "../../test/support/hook-scene.js";
import { ANNOUNCED_WAITING_MAX, createAnnouncer } from "./announcer.js";
import { OBSERVER_TIME_MS } from "./hook.js";

const forever = (): Promise<never> => new Promise(() => undefined);

it("[HK-6] announces in order to those who listen", async () => {
  const scene = new HookScene();
  const hooks = [scene.hook("a", ["command:*"]), scene.hook("b", ["gateway:startup"])];
  const announcer = createAnnouncer({ ...scene, hooks });
  for (let n = 0; n < 5; n++) announcer.announce("command:*", { n });
  await until(() => scene.heard.length === 5);
  expect(scene.heard.map(({ by, payload, key }) => [by, payload["n"], key])).toEqual(
    [0, 1, 2, 3, 4].map((n) => ["a", n, undefined]),
  );
});

it("[HK-6] drops what a hook that hangs cannot take, counts and logs it, and others hear all", async () => {
  const scene = new HookScene();
  const hooks = [scene.hook("hangs", ["command:*"], forever), scene.hook("well", ["command:*"])];
  const announcer = createAnnouncer({ ...scene, hooks });
  for (let n = 0; n < ANNOUNCED_WAITING_MAX + 150; n++) {
    announcer.announce("command:*", { n });
    await settled(2);
  }
  await until(() => scene.names("well").length === ANNOUNCED_WAITING_MAX + 150);
  expect(announcer.drops()).toEqual(new Map([["hangs", 150]]));
  expect(scene.lines.map(({ hook, dropped }) => [hook, dropped])).toEqual([
    ["hangs", 1],
    ["hangs", 101],
  ]);
  scene.clock.advance(OBSERVER_TIME_MS);
  await until(() => scene.names("hangs").length === 2);
});

it("[HK-6] logs a hook that fails and goes on", async () => {
  const scene = new HookScene();
  const hooks = [
    scene.hook("a", ["command:*"], () => {
      throw new Error("boom");
    }),
  ];
  const announcer = createAnnouncer({ ...scene, hooks });
  announcer.announce("command:*", {});
  announcer.announce("command:*", {});
  await until(() => scene.heard.length === 2);
  await settled();
  expect(scene.lines).toMatchObject([{ error: "boom" }, { error: "boom" }]);
  announcer.stop();
  announcer.announce("command:*", {});
  await settled();
  expect(scene.heard).toHaveLength(2);
});
