/** A second, slow reader of the CSV dialect, a character at a time: what CsvScanner is held to, faults of rows included. */

export interface ReferenceRow {
  readonly row: number;
  readonly cells: readonly string[];
  /** Index of the first cell with text after its closing quote; -1: none. */
  readonly strayCell: number;
}

/** @returns null when a quote is never closed */
export function referenceRows(text: string, delimiter: string, firstRow: number): ReferenceRow[] | null {
  const rows: ReferenceRow[] = [];
  let at = 0;
  for (let row = firstRow; at < text.length; row++) {
    const cells: string[] = [];
    let strayCell = -1;
    for (;;) {
      let cell = '';
      const cellStart = at;
      if (text[at] === '"') {
        for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
          if (at >= text.length) return null;
          if (text[at] === '"') at++;
          cell += text[at];
        }
        at++;
        if (at < text.length && !ends(text[at], delimiter)) {
          if (strayCell < 0) strayCell = cells.length;
          while (at < text.length && !ends(text[at], delimiter)) at++;
          cell = text.slice(cellStart, at);
        }
      } else {
        for (; at < text.length && !ends(text[at], delimiter); at++) cell += text[at];
      }
      cells.push(cell);
      if (text[at] !== delimiter) break;
      at++;
    }
    const isBlank = strayCell < 0 && cells.every((cell) => cell === '');
    if (!isBlank) rows.push({ row, cells, strayCell });
    at += text.startsWith('\r\n', at) ? 2 : 1;
  }
  return rows;
}

function ends(character: string | undefined, delimiter: string): boolean {
  return character === delimiter || character === '\n' || character === '\r';
}
