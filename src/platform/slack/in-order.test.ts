import { expect, it } from "vitest";
import { InOrder, WAITING_MAX } from "./in-order.js";

it("does the work of a key in order, whatever fails, and that of others beside it", async () => {
  const order = new InOrder();
  const done: string[] = [];
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const slow = order.run("a", async () => {
    await gate;
    done.push("a1");
    throw new Error("no");
  });
  const next = order.run("a", async () => void done.push("a2"));
  await order.run("b", async () => void done.push("b1"));
  expect(done).toEqual(["b1"]);
  go();
  await expect(slow).rejects.toThrow("no");
  await next;
  expect(done).toEqual(["b1", "a1", "a2"]);
  await order.idle();
});

it("turns work away beyond its bound, and takes it again when there is room", async () => {
  const order = new InOrder();
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const waiting = Array.from({ length: WAITING_MAX }, () => order.run("a", () => gate));
  await expect(order.run("a", async () => undefined)).rejects.toThrow(/waits to be kept/);
  go();
  await Promise.all(waiting);
  await expect(order.run("a", async () => "taken")).resolves.toBe("taken");
});
