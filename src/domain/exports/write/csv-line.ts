/** Lines of CSV that are written here and not by Postgres: headers, and what is small. */
import type { ExportFormatting } from '../export-spec.js';

/** Whatever an import could take for a delimiter: it guesses by the header. */
const NEEDS_QUOTES = /[,;|\t"\r\n]/;
const FORMULA = /^[-=+@\t\r]/;
const NUMERAL = /^[+-]?[0-9][0-9.,]*$/;

/** One record with its line end. */
export function csvLine(
  cells: readonly string[],
  { delimiter, escapeFormulas }: Pick<ExportFormatting, 'delimiter' | 'escapeFormulas'>,
): string {
  const written = cells.map((cell) => {
    const text = escapeFormulas && FORMULA.test(cell) && !NUMERAL.test(cell) ? `'${cell}` : cell;
    return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${written.join(delimiter)}\n`;
}
