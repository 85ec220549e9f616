/** Parses the beginning of a text in some dialect, as leniently as possible: it is only to be compared with others. */

import type { CsvEscape } from '../../formats/csv/escaped-quotes.js';
import { CR, LF } from '../../kernel/characters.js';

const BLANK = 32;
/** More rows than these say nothing new. */
export const MAX_ROWS = 200;

export interface SampleRow {
  /** The number of the row in the source, from 1. */
  readonly row: number;
  readonly cells: readonly string[];
}

export interface ParsedSample {
  /** Without blank rows. */
  readonly rows: readonly SampleRow[];
  /** Cells in quotes. */
  readonly quoted: number;
  /** Quotes where none may be: after the closing quote, or never closed. */
  readonly stray: number;
}

export type Quote = '"' | "'" | '';

export interface Dialect {
  readonly delimiter: string;
  readonly quote: Quote;
  /** What stands before a quote within a cell; null: such a quote is doubled. */
  readonly escape: CsvEscape | null;
}

/** @param isWhole whether the text is all of the file; otherwise its last row is left out */
export function parseSample(text: string, { delimiter, quote, escape: mark }: Dialect, isWhole: boolean): ParsedSample {
  const rows: SampleRow[] = [];
  let cells: string[] = [];
  let quoted = 0;
  let stray = 0;
  let row = 1;
  let at = 0;
  const endRow = () => {
    if (cells.length > 1 || cells[0] !== '') rows.push({ row, cells });
    cells = [];
    row += 1;
  };
  const divider = delimiter.charCodeAt(0);
  const quoteMark = quote === '' ? -1 : quote.charCodeAt(0);
  while (at < text.length && rows.length < MAX_ROWS) {
    let value = '';
    // Some programs write a blank after each delimiter.
    if (cells.length > 0 && text.charCodeAt(at) === BLANK && text.charCodeAt(at + 1) === quoteMark && divider !== BLANK)
      at += 1;
    if (text.charCodeAt(at) === quoteMark) {
      const end = mark === null ? closingQuote(text, at + 1, quote) : escapedClosingQuote(text, at + 1, quote);
      if (end < 0) {
        stray += 1;
        break;
      }
      quoted += 1;
      value = text.slice(at + 1, end).replaceAll((mark ?? quote) + quote, quote);
      at = end + 1;
      const next = text[at];
      if (next !== undefined && next !== delimiter && next !== '\n' && next !== '\r') stray += 1;
    }
    let end = at;
    for (; end < text.length; end += 1) {
      const code = text.charCodeAt(end);
      if (code === divider || code === LF || code === CR) break;
    }
    cells.push(value + text.slice(at, end));
    at = end + 1;
    if (end >= text.length) {
      if (isWhole) endRow();
      break;
    }
    if (text[end] === delimiter) {
      if (at === text.length && isWhole) cells.push('');
      continue;
    }
    if (text[end] === '\r' && text[at] === '\n') at += 1;
    endRow();
  }
  if (cells.length > 0 && isWhole && rows.length < MAX_ROWS) endRow();
  return { rows, quoted, stray };
}

function closingQuote(text: string, from: number, quote: string): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 2)) {
    if (text[at + 1] !== quote) return at;
  }
  return -1;
}

/** A quote behind a backslash closes nothing, and of two backslashes the second is a character. */
function escapedClosingQuote(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\' || (text[at] === quote && text[at + 1] === quote)) at += 1;
    else if (text[at] === quote) return at;
  }
  return -1;
}
