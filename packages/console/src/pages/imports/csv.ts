/** Reads and writes text with delimiters, as error files have it: cells in quotes where they have to be. */

/** @returns the cells of each record, with the quotes of cells resolved */
export function parseCsv(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell: string;
    if (text[at] === '"') {
      ({ cell, at } = quotedCell(text, at));
    } else {
      const start = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++;
      cell = text.slice(start, at);
    }
    record.push(cell);
    if (text[at] === delimiter) {
      at++;
      if (at < text.length && text[at] !== '\n' && text[at] !== '\r') continue;
      record.push('');
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    records.push(record);
    record = [];
  }
  return records;
}

function quotedCell(text: string, start: number): { cell: string; at: number } {
  let cell = '';
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return { cell: cell + text.slice(from), at: text.length };
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { cell, at: quote + 1 };
    cell += '"';
    from = quote + 2;
  }
}

export function writeCsv(records: readonly (readonly string[])[], delimiter: string): string {
  const special = new RegExp(`["\\r\\n${delimiter === '\t' ? '\\t' : `\\${delimiter}`}]|^ | $`);
  const written = (cell: string) => (special.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return records.map((record) => `${record.map(written).join(delimiter)}\r\n`).join('');
}
