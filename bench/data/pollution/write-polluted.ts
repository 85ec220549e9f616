/** Writes a table in a dialect, with what is wrong in one of its rows. */

/** How a file is written. */
export interface Form {
  readonly delimiter: string;
  readonly quote: string;
  /** Which cells are in quotes: those that need it, all, or none. */
  readonly quoted: 'needed' | 'all' | 'none';
  /** What stands before a quote within a cell in quotes. */
  readonly escaping: string;
  readonly lineEnd: string;
  /** What ends the last line. */
  readonly end: string;
}

/** What spreadsheets write, by RFC 4180. */
export const STANDARD: Form = {
  ...{ delimiter: ',', quote: '"', quoted: 'needed', escaping: '"', lineEnd: '\r\n', end: '\r\n' },
};

/** What is wrong in a row: how its text is made of its cells as they are written. */
export type Fault = (cells: readonly string[], form: Form) => string;

/** @param faults by index of the row, the header included */
export function writeTable(
  rows: readonly (readonly string[])[],
  form: Form,
  faults: ReadonlyMap<number, Fault> = new Map(),
): string {
  const lines = rows.map((row, index) => {
    const fault = faults.get(index);
    const cells = row.map((cell) => writeCell(cell, form));
    return fault === undefined ? cells.join(form.delimiter) : fault(cells, form);
  });
  return lines.length === 0 ? '' : lines.join(form.lineEnd) + form.end;
}

function writeCell(cell: string, { delimiter, quote, quoted, escaping }: Form): string {
  const isNeeded = cell.includes(delimiter.trim() === '' ? delimiter : delimiter.trim()) || cell.includes(quote);
  const isQuoted = quoted === 'all' || (quoted === 'needed' && (isNeeded || /[\r\n]/.test(cell)));
  return isQuoted ? quote + cell.replaceAll(quote, escaping + quote) + quote : cell;
}

/** The row lacks the delimiter before a column. */
export function withoutDelimiter(column: number): Fault {
  return (cells, { delimiter }) => cells.slice(0, column).join(delimiter) + cells.slice(column).join(delimiter);
}

/** The row has one more before a column. */
export function withDelimiter(column: number): Fault {
  return (cells, { delimiter }) => [...cells.slice(0, column), '', ...cells.slice(column)].join(delimiter);
}

/** A cell of the row begins with a quote that is not escaped. */
export function withQuote(column: number): Fault {
  return (cells, { delimiter, quote }) =>
    cells
      .map((cell, index) => {
        if (index !== column) return cell;
        return cell.startsWith(quote) ? quote + cell : `${quote}${cell}`;
      })
      .join(delimiter);
}

/** The row is divided by another delimiter. */
export function dividedBy(delimiter: string): Fault {
  return (cells) => cells.join(delimiter);
}
