/** Something to say about the settings, and where. */
export interface Remark {
  readonly severity: "error" | "warning" | "note";
  /** Complete: `…/config.yaml:3:9: display.color: expected …`. */
  readonly text: string;
  readonly key?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

export function remark(
  severity: Remark["severity"],
  { place, key, message }: { readonly place: Place; readonly key?: string; readonly message: string },
): Remark {
  const where = [place.file, place.line, place.column].filter((part) => part !== undefined).join(":");
  return { severity, text: `${where}: ${message}`, ...place, ...(key === undefined ? {} : { key }) };
}
