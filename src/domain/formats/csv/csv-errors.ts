/** The errors that refuse a CSV text as a whole. */
import { RejectedInput } from '../model/rejected-input.js';
import type { CsvQuote } from './csv-quote.js';

/** The error for a quoted cell that no quote closes. */
export function unclosedQuote(row: number, quote: CsvQuote): RejectedInput {
  return new RejectedInput(
    'UNCLOSED_QUOTE',
    `A quote that opens in row ${row} is never closed, so every row after it would be read as part of that cell. ` +
      `Close it, or double it (${quote}${quote}) if it belongs to the text.`,
    { row },
  );
}

/** The error for a cell over the limit. @param column its index, -1 when it was not counted. */
export function cellTooLong(row: number, column: number, maxCellBytes: number, quoted: boolean): RejectedInput {
  const cell = column < 0 ? 'a cell' : `cell ${column + 1}`;
  const advice = quoted ? 'Shorten it, or close the quote that opens it if it should end earlier.' : 'Shorten it.';
  const bytes = `${maxCellBytes} bytes${quoted ? ', its quotes included' : ''}`;
  return new RejectedInput('CELL_TOO_LONG', `Row ${row}: ${cell} is longer than ${bytes}. ${advice}`, { row });
}

export function tooManyCells(row: number, maxColumns: number): RejectedInput {
  return new RejectedInput(
    'TOO_MANY_COLUMNS',
    `Row ${row} has more than ${maxColumns} cells. Check the delimiter, and that every quote is closed.`,
    { row },
  );
}
