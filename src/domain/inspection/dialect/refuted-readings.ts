/** Tells which readings of a text its header and its quotes speak against, however good the table is that they make of its lists. */
import { judgeHeader } from './judge-header.js';
import type { ScoredDialect } from './score-dialect.js';

/** Of a table under a title, so many rows are of one length. */
const LEAST_REGULAR = 0.8;

/** Delimiters that divide all rows alike by chance stand within names, days and addresses. */
export const USUAL_DELIMITERS = [',', ';', '\t', '|'];

/**
 * Leaves out readings that another one refutes: `SKU,Name` above `A,"x;y;z"` is divided by its commas, though the semicolons
 * make more columns of the rows below.
 */
export function withoutRefuted(readings: readonly ScoredDialect[]): ScoredDialect[] {
  const sound = readings.filter((each) => dividesAllAlike(each) || isQuotedColumn(each));
  return readings.filter((reading) => !sound.some((other) => other !== reading && refutes(other, reading)));
}

/** Whether a reading divides the header otherwise than the rows, or makes several cells of one in quotes, where another does neither. */
function refutes(other: ScoredDialect, reading: ScoredDialect): boolean {
  if (isQuotedColumn(other)) return leavesHeaderWhole(reading);
  if (other.delimiter === reading.delimiter) return false;
  const differs = reading.parsed.rows[0]?.cells.length !== reading.width;
  return differs || (other.parsed.quoted > 0 && cutsQuotes(reading));
}

/** Whether the rows of a table have more cells than its first row, which has one. */
function leavesHeaderWhole({ parsed, width }: ScoredDialect): boolean {
  return width > 1 && parsed.rows[0]?.cells.length === 1;
}

/** Whether every row, the first included, has as many cells, and quotes stand around whole cells. */
function dividesAllAlike({ delimiter, parsed: { rows, stray }, width }: ScoredDialect): boolean {
  const isTable = USUAL_DELIMITERS.includes(delimiter) && width > 1 && rows.length > 1 && stray === 0;
  return isTable && rows.every(({ cells }) => cells.length === width);
}

/** Whether every row is one cell in quotes. */
function isQuotedColumn({ quote, parsed: { rows, quoted, stray } }: ScoredDialect): boolean {
  const isAllQuoted = quote !== '' && rows.length > 1 && quoted === rows.length && stray === 0;
  return isAllQuoted && rows.every(({ cells }) => cells.length === 1);
}

/** Whether cells begin with a quote that ends in a later one. */
function cutsQuotes({ quote, parsed: { rows } }: ScoredDialect): boolean {
  return quote === '' && rows.some(({ cells }) => cells.some((cell) => /^\s*"(?!.*"\s*$)/s.test(cell)));
}

/** Whether the first row may name one column: it is not divided, and the rows below differ in length, cut what is in quotes, or have no header. */
export function mayBeOneColumn(best: ScoredDialect): boolean {
  if (!leavesHeaderWhole(best)) return false;
  const { rows } = best.parsed;
  const divided = rows.filter(({ cells }) => cells.length === best.width);
  if (rows[1]?.cells.length === 1 && rows.length > 3) return false;
  return cutsQuotes(best) || divided.length < rows.length * LEAST_REGULAR || judgeHeader(rows, true).value === null;
}
