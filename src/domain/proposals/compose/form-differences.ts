/** Where a profile says another form than the file has, or where what holds without its saying so is another form. */
import { encodingNamed } from '../../formats/text/encoding-names.js';
import type { InspectedFormat } from '../../inspection/model/inspection.js';
import { quoted } from '../../kernel/value-problem.js';
import type { Profile } from '../../profiles/model/profile.js';

/** What an import reads where a profile names no encoding. */
const DEFAULT_ENCODING = 'utf-8';

/** The line in which spreadsheet programs name the delimiter: an import takes it for no row. */
const SEPARATOR_LINE = /^"?sep=.?"?$/i;

/** In sentences. Where the two differ, an import by the profile has other rows or columns than the inspection. */
export function formDifferences(format: InspectedFormat, profile: Profile): string[] {
  return [...rowDifferences(format, profile), ...textDifferences(format, profile)];
}

/** What rows there are, and which of them is the header. */
function rowDifferences(format: InspectedFormat, { format: said }: Profile): string[] {
  const { headerRow, headerRows = 1, rowPath, sheet } = said;
  const isNested = format.rowPath !== null;
  if ((rowPath !== undefined) !== isNested) {
    return [
      isNested
        ? 'The profile is for tables, and the file is JSON or XML: the profile needs a path of the rows.'
        : 'The profile is for JSON and XML, and the file is a table.',
    ];
  }
  const path = format.rowPath?.value ?? null;
  if (isNested) return path !== null && path !== rowPath ? [differing('path of the rows', rowPath ?? '', path)] : [];
  const row = format.headerRow.value;
  const first = format.sheets?.find(({ hidden }) => !hidden) ?? format.sheets?.[0];
  // The first row that is not blank is the header where nothing is said.
  const hasTitles = format.titleLines.some((line) => line.trim() !== '' && !SEPARATOR_LINE.test(line.trim()));
  return [
    ...(headerRow !== undefined && row !== null && row !== headerRow
      ? [differing('row of the header', headerRow, row)]
      : []),
    ...(headerRow === undefined && row !== null && hasTitles
      ? [`The profile names no row of the header, so that it is the first one, and the file has it in row ${row}.`]
      : []),
    ...(row !== null && headerRows !== format.headerRows
      ? [differing('number of rows of the header', headerRows, format.headerRows)]
      : []),
    ...(format.sheet === null || (sheet ?? first?.name) === format.sheet
      ? []
      : sheet === undefined
        ? [
            `The profile names no sheet, so that it is the first one, and the rows were read in ${quoted(format.sheet)}.`,
          ]
        : [differing('sheet', sheet, format.sheet)]),
  ];
}

/** How a text is written. */
function textDifferences(format: InspectedFormat, { format: said }: Profile): string[] {
  const sign = format.delimiter?.value ?? null;
  if (sign === null) return [];
  const { delimiter, encoding } = said;
  const { value, rivals } = format.encoding;
  const isSaid = (name: string) => encodingNamed(name) === encodingNamed(encoding ?? DEFAULT_ENCODING);
  const isOther = value !== null && ![value, ...rivals, ...format.sameEncodings].some(isSaid);
  return [
    ...(delimiter !== undefined && sign !== delimiter ? [differing('delimiter', delimiter, sign)] : []),
    ...(isOther && encoding !== undefined ? [differing('encoding', encoding, value)] : []),
    ...(isOther && encoding === undefined
      ? [`The profile names no encoding, so that it is UTF-8, and the file has ${quoted(value)}.`]
      : []),
  ];
}

function differing(what: string, said: string | number, is: string | number): string {
  return `The profile says that the ${what} is ${quoted(said)}, and the file has ${quoted(is)}.`;
}
