/** The errors for headers of tables. */
import { RejectedInput } from '../model/rejected-input.js';

/** @throws RejectedInput INVALID_HEADER when no cell of the header holds more than blanks. */
export function refuseBlankHeader(header: readonly string[], row: number): void {
  if (header.some((cell) => cell.trim() !== '')) return;
  const message = `The header, row ${row}, holds nothing but blanks. Write the names of the columns, or name the row of the header.`;
  throw new RejectedInput('INVALID_HEADER', message, { row });
}

/** The error for a source that ends before the row of its header. @param last the number of its last row */
export function headerBeyondEnd(row: number, last: number): RejectedInput {
  const message = `The header should be in row ${row}, but the last row is row ${last}. Name the row of the header.`;
  return new RejectedInput('INVALID_HEADER', message, { row });
}
