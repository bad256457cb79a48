/** Just enough of multipart/form-data to read what the library uploads. */

export interface UploadedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Form {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, UploadedFile>;
}

export function readMultipart(body: Buffer, contentType: string): Form {
  const boundary = /boundary=(.+)$/.exec(contentType)?.[1] ?? "";
  const fields: Record<string, string> = {};
  const files = new Map<string, UploadedFile>();
  for (const part of parts(body, Buffer.from(`--${boundary}`))) {
    const split = part.indexOf("\r\n\r\n");
    const head = part.subarray(0, split).toString("utf8");
    const content = part.subarray(split + 4);
    const field = /name="([^"]*)"/.exec(head)?.[1] ?? "";
    const filename = /filename=(?:"([^"]*)"|([^\s;]+))/.exec(head);
    if (filename) files.set(field, { name: filename[1] ?? filename[2] ?? "", bytes: content });
    else fields[field] = content.toString("utf8");
  }
  return { fields, files };
}

function* parts(body: Buffer, delimiter: Buffer): Generator<Buffer> {
  let from = body.indexOf(delimiter);
  while (from >= 0) {
    const start = from + delimiter.length + 2;
    const next = body.indexOf(delimiter, start);
    if (next < 0) return;
    yield body.subarray(start, next - 2);
    from = next;
  }
}
