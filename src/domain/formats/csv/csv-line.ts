/** Writes records of CSV: for exports, error files and templates. */

/** All delimiters that an import could detect from the header, and characters that always need quotes. */
const NEEDS_QUOTES = /[,;|\t"\r\n]/;
const NEEDS_QUOTES_ALWAYS = /["\r\n]/;
/** The beginning of a line that a spreadsheet may execute; full-width signs are read as the usual ones by some. */
const FORMULA = /(^|[\r\n])(?=[-=+@\t\r＝＋－＠])/g;
const NUMERAL = /^[+-]?[0-9][0-9.,]*$/;

interface CsvForm {
  readonly delimiter: string;
  /** Which delimiters in a cell make it quoted: by default all, so that detection cannot be wrong. */
  readonly quoted?: 'every delimiter' | 'own delimiter';
  /** Puts an apostrophe before cells that a spreadsheet would treat as a formula. */
  readonly escapeFormulas?: boolean;
}

/** One record without a line end; only cells that need quotes have them. */
export function csvLine(cells: readonly string[], form: CsvForm): string {
  return cells.map((cell) => written(cell, form)).join(form.delimiter);
}

function written(cell: string, { delimiter, quoted = 'every delimiter', escapeFormulas = false }: CsvForm): string {
  const text = escapeFormulas && !NUMERAL.test(cell) ? cell.replace(FORMULA, "$1'") : cell;
  const needsQuotes =
    quoted === 'every delimiter' ? NEEDS_QUOTES.test(text) : text.includes(delimiter) || NEEDS_QUOTES_ALWAYS.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}
