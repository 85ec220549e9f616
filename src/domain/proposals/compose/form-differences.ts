/** Where a profile says another form than the file has. */
import type { InspectedFormat } from '../../inspection/model/inspection.js';
import { quoted } from '../../kernel/value-problem.js';
import type { Profile } from '../../profiles/model/profile.js';

/** In sentences. Where the two differ, the columns may be others. */
export function formDifferences(format: InspectedFormat, profile: Profile): string[] {
  const { headerRow, headerRows = 1, delimiter, encoding, rowPath } = profile.format;
  const found: string[] = [];
  const differs = (what: string, said: string | number, is: string | number) =>
    found.push(`The profile says that the ${what} is ${quoted(said)}, and the file has ${quoted(is)}.`);
  const path = format.rowPath?.value ?? null;
  if (rowPath !== undefined && path !== null && path !== rowPath) differs('path of the rows', rowPath, path);
  const row = format.headerRow.value;
  if (headerRow !== undefined && row !== null && row !== headerRow) differs('row of the header', headerRow, row);
  if (row !== null && headerRows !== format.headerRows)
    differs('number of rows of the header', headerRows, format.headerRows);
  const sign = format.delimiter?.value ?? null;
  if (delimiter !== undefined && sign !== null && sign !== delimiter) differs('delimiter', delimiter, sign);
  const { value, verdict } = format.encoding;
  const isOther = value !== null && encoding !== undefined && value.toLowerCase() !== encoding.toLowerCase();
  if (isOther && verdict === 'certain' && sign !== null) differs('encoding', encoding, value);
  return found;
}
