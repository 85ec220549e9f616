/** The parts of a workbook around its sheets. */
import type { CellStyles } from '../cell-styles.js';
import { COMMENTS, type Comment, commentParts, DRAWING } from './comments.js';
import { escapeXmlAttribute } from './escape-text.js';
import { DECLARATION, DOCUMENT, PACKAGE, relationships, SPREADSHEET_ML } from './package-xml.js';

const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const MAX_SHEET_NAME = 31;

interface SheetPart {
  readonly name: string;
  readonly hidden?: boolean;
}

/** Name in the archive of the sheet with this index. */
export function sheetPath(index: number): string {
  return `xl/worksheets/sheet${index + 1}.xml`;
}

/** Every part but the sheets themselves, by its name in the archive, in the order in which they are written. */
export function workbookParts(
  sheets: readonly SheetPart[],
  styles: CellStyles,
  comments: readonly Comment[] = [],
): (readonly [path: string, xml: string])[] {
  return [
    ['[Content_Types].xml', contentTypes(sheets.length, comments.length > 0)],
    ['_rels/.rels', relationships([[`${DOCUMENT}/officeDocument`, 'xl/workbook.xml']])],
    ['xl/workbook.xml', workbook(sheets)],
    ['xl/_rels/workbook.xml.rels', workbookRelationships(sheets.length)],
    ['xl/styles.xml', styles.xml()],
    ...(comments.length > 0 ? commentParts(comments) : []),
  ];
}

/** The nearest name that spreadsheet programs accept for a sheet. */
export function acceptedSheetName(name: string): string {
  const sound = name
    .replace(/[[\]:*?/\\]/g, ' ')
    .trim()
    .slice(0, MAX_SHEET_NAME)
    .replace(/^'|'$/g, ' ')
    .trim();
  return sound === '' ? 'Sheet1' : sound;
}

function contentTypes(sheetCount: number, hasComments: boolean): string {
  const override = (part: string, type: string): string =>
    `<Override PartName="/${part}" ContentType="${TYPES}.${type}+xml"/>`;
  const sheets = Array.from({ length: sheetCount }, (_, index) => override(sheetPath(index), 'worksheet'));
  return (
    `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    (hasComments ? `<Default Extension="vml" ContentType="${DRAWING}"/>${override(COMMENTS, 'comments')}` : '') +
    `${override('xl/workbook.xml', 'sheet.main')}${override('xl/styles.xml', 'styles')}${sheets.join('')}</Types>`
  );
}

function workbook(sheets: readonly SheetPart[]): string {
  const entries = sheets.map(({ name, hidden }, index) => {
    const state = hidden === true ? ' state="hidden"' : '';
    return `<sheet name="${escapeXmlAttribute(name)}" sheetId="${index + 1}"${state} r:id="rId${index + 1}"/>`;
  });
  return `${DECLARATION}<workbook xmlns="${SPREADSHEET_ML}" xmlns:r="${DOCUMENT}"><sheets>${entries.join('')}</sheets></workbook>`;
}

function workbookRelationships(sheetCount: number): string {
  const sheets = Array.from({ length: sheetCount }, (_, index): [string, string] => [
    `${DOCUMENT}/worksheet`,
    sheetPath(index).slice('xl/'.length),
  ]);
  return relationships([...sheets, [`${DOCUMENT}/styles`, 'styles.xml']]);
}
