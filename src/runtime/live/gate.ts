/** Something that others wait for once. */
export interface Gate {
  readonly isOpen: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let resolve = (): void => undefined;
  const isOpen = new Promise<void>((done) => {
    resolve = done;
  });
  return { isOpen, open: () => resolve() };
}
