/** How the values of cells are written in the normalised copy of a workbook. */
import type { WorkbookColumn } from '../../model/workbook-column.js';
import { bytesOfText } from '../read/xml-bytes.js';
import { markedCell } from './marked-cell.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the delimiter is one
const NEEDS_QUOTES = /["\n\r\u001f]/;

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

/** A date that is written as text. Without a time zone it is read as UTC, as date numbers are. */
export function isoDate(text: string): string {
  const time = Date.parse(/T.*(?:Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`);
  if (Number.isNaN(time)) return text;
  return text.includes('T') ? new Date(time).toISOString() : text;
}

export function isTrue(text: string): boolean {
  return text === '1' || text === 'true';
}

export function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
