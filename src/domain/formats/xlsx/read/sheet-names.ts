/** Finds the sheet of a workbook that an import names. */
import { RejectedInput } from '../../model/rejected-input.js';

/** How many names of sheets a message lists. */
const LISTED_SHEETS = 10;

/** Whether a sheet has the name, in any case. */
export function hasSheetName(sheet: string, name: string): boolean {
  return comparable(sheet) === comparable(name);
}

/** The error for a workbook without the sheet. @param names of its sheets, @param wanted undefined: any sheet */
export function sheetNotFound(names: readonly string[], wanted: string | undefined): RejectedInput {
  if (names.length === 0) return new RejectedInput('SHEET_NOT_FOUND', 'The workbook has no sheet with cells.');
  const listed = names.slice(0, LISTED_SHEETS).map((name) => `"${name}"`);
  const more = names.length > LISTED_SHEETS ? ` and ${names.length - LISTED_SHEETS} more` : '';
  return new RejectedInput(
    'SHEET_NOT_FOUND',
    `The workbook has no sheet "${wanted}". It has ${listed.join(', ')}${more}; name one of them in options.sheet.`,
  );
}

/** The error for a sheet that is read and has no cells. */
export function emptySheet(name: string): RejectedInput {
  const message = `The sheet "${name}" has no cells. If another sheet has the rows, name it in options.sheet.`;
  return new RejectedInput('EMPTY_FILE', message);
}

function comparable(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
