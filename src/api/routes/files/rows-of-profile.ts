/** Which rows of a file a profile reads: another sheet or path has other columns, which are to be inspected. */
import { FILE_FORMATS, fileFormat } from '../../../domain/formats/file-format.js';
import type { Profile } from '../../../domain/profiles/model/profile.js';
import type { InspectedRows } from '../../../domain/proposals/model/inspection-job.js';

/** Of a file that has sheets or paths. */
export function rowsOfProfile(
  { name }: { readonly name: string },
  { format: { sheet, rowPath } }: Profile,
): InspectedRows {
  const format = fileFormat(name)?.format;
  if (format === undefined) return {};
  const { reads, rows } = FILE_FORMATS[format];
  return {
    ...(sheet !== undefined && reads === 'workbook' ? { sheet } : {}),
    ...(rowPath !== undefined && rows !== 'table' ? { rowPath } : {}),
  };
}
