/** How the values of cells are written in the normalised copy of a workbook. */
import type { WorkbookColumn } from '../../model/workbook-column.js';
import { CELL_TYPE } from '../read/raw-row.js';
import { bytesOfText } from '../read/xml-bytes.js';
import { markedCell } from './marked-cell.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the delimiter is one
const NEEDS_QUOTES = /["\n\r\u001f]/;

/** The types of cells that have no value if their text is empty. */
export const EMPTY_WITHOUT_TEXT: readonly number[] = [CELL_TYPE.number, CELL_TYPE.boolean, CELL_TYPE.isoDate];

/** A whole number as a format of zeros shows it, which a text keeps: postal codes, article numbers. */
export function withZeros(decimal: string, digits: number): string {
  if (decimal.length >= digits) return decimal;
  return decimal.startsWith('-') ? `-${decimal.slice(1).padStart(digits, '0')}` : decimal.padStart(digits, '0');
}

export function dateText(date: string, column: WorkbookColumn): string {
  return column.writeDate === null ? markedCell('d', date) : bytesOfText(column.writeDate(date));
}

/** Whether the column is one of numbers or dates. */
export function isTypedColumn({ kind, writeDate }: WorkbookColumn): boolean {
  return kind === 'number' || writeDate !== null;
}

/** The first ten characters of a date with time, its seconds' fraction, and its time zone. */
const INSTANT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * A date that is written as text. Without a time zone it is read as UTC, as date numbers are, and rounded to milliseconds
 * as they are. What is no date is left as it is written, which fails its row.
 */
export function isoDate(text: string): string {
  const [, day = '', fraction = '', zone] = INSTANT.exec(text) ?? [];
  const midnight = Date.parse(day);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return text;
  const time = Date.parse(text.replace(fraction, '') + (zone === undefined ? 'Z' : ''));
  if (Number.isNaN(time)) return text;
  return new Date(time + Math.round(Number(`0${fraction}`) * 1_000)).toISOString();
}

/** What a cell that is TRUE or FALSE says; null when it says neither. */
export function truthOf(text: string): 'TRUE' | 'FALSE' | null {
  const word = text.trim().toLowerCase();
  if (word === '1' || word === 'true') return 'TRUE';
  return word === '0' || word === 'false' ? 'FALSE' : null;
}

export function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
