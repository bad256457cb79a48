/** Whether one version of this program came after another; what cannot be read came before. */
export function isNewer(version: string, than: string): boolean {
  const one = parts(version);
  const other = parts(than);
  const at = one.findIndex((number, index) => number !== (other[index] ?? 0));
  return at >= 0 && (one[at] ?? 0) > (other[at] ?? 0);
}

function parts(version: string): number[] {
  const [, ...numbers] = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(version) ?? [];
  return numbers.map(Number);
}
