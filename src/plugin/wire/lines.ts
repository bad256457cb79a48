/**
 * JSON lines from a process that is not trusted to keep to them: whole lines are handed over, a line that grows
 * beyond the bound ends the reading. Bytes are joined once per line, however small the pieces they come in.
 */

export interface LineReader {
  push(chunk: Uint8Array): void;
}

export function createLineReader(bytesMax: number, on: { line(text: string): void; tooLong(): void }): LineReader {
  let parts: Uint8Array[] = [];
  let size = 0;
  let isOver = false;
  const emit = (last: Uint8Array): void => {
    const bytes = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    parts = [];
    size = 0;
    if (bytes.length > 0) on.line(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  };
  return {
    push(chunk) {
      let rest = chunk;
      while (!isOver) {
        const at = rest.indexOf(NEW_LINE);
        if (size + (at < 0 ? rest.length : at) > bytesMax) {
          isOver = true;
          parts = [];
          on.tooLong();
          return;
        }
        if (at < 0) break;
        emit(rest.subarray(0, at));
        rest = rest.subarray(at + 1);
      }
      if (isOver || rest.length === 0) return;
      parts.push(rest);
      size += rest.length;
    },
  };
}

const NEW_LINE = 10;
