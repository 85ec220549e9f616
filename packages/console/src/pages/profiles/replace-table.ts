/** The table of the step `replace` as lines: what a cell holds, an arrow, and by what it is replaced. */

const ARROW = ' => ';

/** Two columns that were copied from a spreadsheet can be pasted. */
export function tableOf(text: string): Record<string, string> {
  const entries = text.split('\n').flatMap((line): [string, string][] => {
    if (line.trim() === '') return [];
    const sign = line.includes('\t') ? '\t' : '=>';
    const at = line.indexOf(sign);
    if (at < 0) return [[line.trim(), line.trim()]];
    return [[line.slice(0, at).trim(), line.slice(at + sign.length).trim()]];
  });
  return Object.fromEntries(entries);
}

export function textOfTable(table: Readonly<Record<string, string>>): string {
  return Object.entries(table)
    .map(([from, to]) => `${from}${ARROW}${to}`)
    .join('\n');
}

/** Whether lines say all of the table: a text with an arrow or a line end in it would be another one. */
export function fitsLines(table: Readonly<Record<string, string>>): boolean {
  const again = tableOf(textOfTable(table));
  const entries = Object.entries(table);
  return Object.keys(again).length === entries.length && entries.every(([from, to]) => again[from] === to);
}
