/** Takes the rows of a COPY in text format apart again. */

const NEWLINE = 0x0a;
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Null is NULL. */
export type CopyRow = readonly (string | null)[];

/** The rows of each piece that came, as arrays of cells. A raw line end only stands behind a row. */
export async function* copyTextRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<CopyRow[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of bytes) {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      rest = Buffer.concat([rest, piece]);
      continue;
    }
    const whole = piece.subarray(0, end);
    yield rowsOf(rest.length === 0 ? whole : Buffer.concat([rest, whole]));
    rest = Buffer.from(piece.subarray(end));
  }
}

/** @param bytes whole rows */
function rowsOf(bytes: Buffer): CopyRow[] {
  const lines = bytes.toString('utf8', 0, bytes.length - 1).split('\n');
  return lines.map((line) => {
    const cells: (string | null)[] = line.split('\t');
    // Most rows hold no backslash, and so neither NULL nor anything escaped.
    return line.includes('\\') ? cells.map((cell) => (cell === '\\N' ? null : unescaped(cell ?? ''))) : cells;
  });
}

function unescaped(cell: string): string {
  return cell.replace(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character);
}
