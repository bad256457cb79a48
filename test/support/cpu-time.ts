/** What something costs this process, in milliseconds of a core: the same whether the machine has other things to do or not. */
export function cpuMs(act: () => unknown): number {
  const began = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}
