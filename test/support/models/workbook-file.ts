/** Workbooks put together part by part, as programs write them that do it in their own way. */
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

export interface WorkbookParts {
  /** The content of sheetData of the only sheet. */
  readonly rows?: string;
  /** The content of sst. */
  readonly strings?: string;
  /** Format codes of the cell styles 1, 2, …; numbers are built-in formats. */
  readonly formats?: readonly (string | number)[];
  readonly date1904?: boolean;
  /** Parts instead of those made, or beside them; null leaves one out. */
  readonly parts?: Readonly<Record<string, string | Buffer | null>>;
}

/** The bytes of a workbook. */
export async function workbookFile(given: WorkbookParts): Promise<Buffer> {
  const parts: Record<string, string | Buffer | null> = {
    '_rels/.rels': relationships({ rId1: [`${DOCUMENT}/officeDocument`, 'xl/workbook.xml'] }),
    'xl/workbook.xml': workbookXml(['Sheet1'], given.date1904),
    'xl/_rels/workbook.xml.rels': relationships({
      rId1: [`${DOCUMENT}/worksheet`, 'worksheets/sheet1.xml'],
      rId2: [`${DOCUMENT}/sharedStrings`, 'sharedStrings.xml'],
      rId3: [`${DOCUMENT}/styles`, 'styles.xml'],
    }),
    'xl/worksheets/sheet1.xml': sheetXml(given.rows ?? ''),
    'xl/sharedStrings.xml': given.strings === undefined ? null : `<sst xmlns="${MAIN}">${given.strings}</sst>`,
    'xl/styles.xml': stylesXml(given.formats ?? []),
    ...given.parts,
  };
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(parts)) if (content !== null) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream);
}

/** Relationships by their ids. */
export function relationships(targets: Readonly<Record<string, readonly [type: string, target: string]>>): string {
  const entries = Object.entries(targets).map(
    ([id, [type, target]]) => `<Relationship Id="${id}" Type="${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}">${entries.join('')}</Relationships>`;
}

/** A workbook with these sheets, related by rId1, rId2 and so on; names that begin with `-` are hidden. */
export function workbookXml(sheets: readonly string[], date1904 = false): string {
  const entries = sheets.map((name, index) => {
    const state = name.startsWith('-') ? ' state="hidden"' : '';
    return `<sheet name="${name}" sheetId="${index + 1}"${state} r:id="rId${index + 1}"/>`;
  });
  const properties = date1904 ? '<workbookPr date1904="1"/>' : '';
  return `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}">${properties}<sheets>${entries.join('')}</sheets></workbook>`;
}

/** @param rows the content of sheetData. */
export function sheetXml(rows: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`;
}

function stylesXml(formats: readonly (string | number)[]): string {
  const custom = formats.flatMap((format, index) =>
    typeof format === 'string'
      ? [`<numFmt numFmtId="${200 + index}" formatCode="${format.replaceAll('"', '&quot;')}"/>`]
      : [],
  );
  const styles = formats.map(
    (format, index) => `<xf numFmtId="${typeof format === 'number' ? format : 200 + index}"/>`,
  );
  return (
    `<styleSheet xmlns="${MAIN}"><numFmts>${custom.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
    `<cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`
  );
}
