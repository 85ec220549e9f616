/** Writes cells into the copy of a mapped table, as the reader of their column reads them. */
import type { WorkbookColumn } from '../../formats/model/workbook-column.js';
import { failedCell, markedCell } from '../../formats/xlsx/rows/marked-cell.js';
import { describeFailure, type FailedStep, type Meaning } from './step-chain.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the delimiter of the copy, and the mark of marked cells
const NEEDS_CARE = /["\n\r\u001f\u0000]/;
const LOOKS_LIKE_NUMBER = /^\s*[-+]?[0-9](?![0-9]*$)/;
const LOOKS_LIKE_DATE = /^\s*[-+]?[0-9]/;
const NEEDLESS_ZEROS = /\.?0+$/;

/** A text with quotes around it, and those in it doubled. */
function inQuotes(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/**
 * What texts of a column look like that may be read in two ways: quotes tell them from values that a step or a workbook has
 * read. Digits alone are one number. Null: none.
 */
export function ambiguousIn({ kind, writeDate }: WorkbookColumn): RegExp | null {
  if (writeDate !== null) return LOOKS_LIKE_DATE;
  return kind === 'number' ? LOOKS_LIKE_NUMBER : null;
}

/** A cell of a text that is no value yet. @param ambiguous see ambiguousIn */
export function textCell(text: string, ambiguous: RegExp | null): string {
  if (NEEDS_CARE.test(text)) return inQuotes(text.includes('\u0000') ? markedCell('x', text) : text);
  return ambiguous?.test(text) === true ? `"${text}"` : text;
}

/** A cell of a value that was read. */
export function valueCell(text: string, meaning: Exclude<Meaning, 'text'>, column: WorkbookColumn): string {
  if (text === '') return '';
  if (meaning === 'boolean') return text;
  if (meaning === 'number') {
    // A reader of whole numbers accepts no fraction, not even one of zeros.
    const digits = text.endsWith('0') && text.includes('.') ? text.replace(NEEDLESS_ZEROS, '') : text;
    return column.decimalSeparator === ',' ? digits.replace('.', ',') : digits;
  }
  const written = column.writeDate === null ? text : column.writeDate(text);
  return NEEDS_CARE.test(written) ? inQuotes(written) : written;
}

/** A marked cell of a workbook, or one that a step has refused. */
export function refusedCell(marked: string): string {
  return NEEDS_CARE.test(marked.slice(1)) ? inQuotes(marked) : marked;
}

/** The cell of a step that has failed. @param column the name of the source's column @param source what it holds */
export function stepFailedCell(failure: FailedStep, column: string, source: string): string {
  const message = describeFailure(failure, column, source);
  return refusedCell(failedCell({ code: 'PROFILE_STEP_FAILED', message, value: source }));
}

/** The text of a cell as its reader gets it; empty for a marked one. */
export function keyIn(cell: string): string {
  const first = cell.charCodeAt(0);
  if (first === 0) return '';
  if (first !== 34) return cell;
  return cell.charCodeAt(1) === 0 ? '' : cell.slice(1, -1).replaceAll('""', '"');
}
