/** Parses the rows of a COPY in text format. */

const NEWLINE = 0x0a;
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** A row's cells; null is NULL. */
export type CopyRow = readonly (string | null)[];

/** Yields the rows of each piece of bytes, as arrays of cells. An unescaped newline always ends a row. */
export async function* copyTextRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<CopyRow[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of bytes) {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      rest = Buffer.concat([rest, piece]);
      continue;
    }
    const complete = piece.subarray(0, end);
    yield rowsOf(rest.length === 0 ? complete : Buffer.concat([rest, complete]));
    rest = Buffer.from(piece.subarray(end));
  }
}

/** @param bytes complete rows */
function rowsOf(bytes: Buffer): CopyRow[] {
  const lines = bytes.toString('utf8', 0, bytes.length - 1).split('\n');
  return lines.map((line) => {
    const cells: (string | null)[] = line.split('\t');
    // Most rows contain no backslash, so neither NULL nor an escape; in others, most cells contain none.
    return line.includes('\\') ? cells.map((cell) => (cell?.includes('\\') === true ? unescaped(cell) : cell)) : cells;
  });
}

function unescaped(cell: string): string | null {
  if (cell === '\\N') return null;
  return cell.replace(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character);
}
