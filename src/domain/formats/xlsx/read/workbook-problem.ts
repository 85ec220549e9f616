/** The errors for workbooks that cannot be read. */
import { RejectedInput } from '../../model/rejected-input.js';
import { MAX_CELL_CHARACTERS } from '../cell.js';
import type { ArchiveWords } from './archive-words.js';

const ADVICE = 'Open it in a spreadsheet program, save it as .xlsx, and upload it again.';

/** @param what a sentence, such as the message of an error; its full stop is optional. */
export function damaged(what: string): RejectedInput {
  const reason = what.replace(/[.\s]+$/, '');
  return new RejectedInput('WORKBOOK_DAMAGED', `The workbook is damaged or incomplete: ${reason}. ${ADVICE}`);
}

/** @param what the workbook has too much of, a sentence without its full stop. */
export function tooComplex(what: string): RejectedInput {
  return new RejectedInput(
    'WORKBOOK_TOO_COMPLEX',
    `${what}, which is more than can be read. Copy the rows into a new workbook, or save the sheet as CSV.`,
  );
}

/** @param row the row's number; 0 when it is not known. */
export function cellTooLong(row: number, column: string): RejectedInput {
  const where = row > 0 ? `Row ${row}, column ${column === '' ? 'unknown' : column}: the` : 'A';
  return new RejectedInput(
    'CELL_TOO_LONG',
    `${where} cell holds more than ${MAX_CELL_CHARACTERS} characters, the limit of spreadsheet programs. Shorten it.`,
    row > 0 ? { row } : {},
  );
}

export function rowTooLong(row: number): RejectedInput {
  const where = row > 0 ? `Row ${row}` : 'A row';
  return new RejectedInput(
    'ROW_TOO_LONG',
    `${where} holds more than 8 MiB of text. Shorten it.`,
    row > 0 ? { row } : {},
  );
}

/** What is said of the archive of a workbook that cannot be read. */
export const WORKBOOK_WORDS: ArchiveWords = {
  damaged,
  tooManyEntries: (count) => tooComplex(`The workbook is made of ${count} files`),
  encrypted: () => new RejectedInput('WORKBOOK_ENCRYPTED', 'The workbook is encrypted. Save it without a password.'),
  expands: (ratio) =>
    new RejectedInput(
      'EXPANSION_RATIO',
      `The workbook expands to more than ${ratio} times its size, as a zip bomb does. ` +
        'Copy the rows into a new workbook, or save the sheet as CSV.',
    ),
  tooLarge: (bytes) =>
    new RejectedInput(
      'TOO_LARGE',
      `The workbook holds more than ${bytes} bytes. Split it and upload the parts one by one.`,
    ),
};
