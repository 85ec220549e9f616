/** The parts of a workbook around its sheets. */
import { STYLES_XML } from './cell-styles.js';
import { escapeXmlAttribute } from './xml-text.js';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
export const SPREADSHEET_ML = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

const MAX_SHEET_NAME = 31;

export interface SheetPart {
  readonly name: string;
  readonly hidden?: boolean;
}

/** Name in the archive of the sheet with this index. */
export function sheetPath(index: number): string {
  return `xl/worksheets/sheet${index + 1}.xml`;
}

/** Every part but the sheets themselves, by its name in the archive, in the order in which they are written. */
export function workbookParts(sheets: readonly SheetPart[]): (readonly [path: string, xml: string])[] {
  return [
    ['[Content_Types].xml', contentTypes(sheets.length)],
    ['_rels/.rels', relationships([[`${DOCUMENT}/officeDocument`, 'xl/workbook.xml']])],
    ['xl/workbook.xml', workbook(sheets)],
    ['xl/_rels/workbook.xml.rels', workbookRelationships(sheets.length)],
    ['xl/styles.xml', STYLES_XML],
  ];
}

/** A name that spreadsheet programs take for a sheet, as near as can be. */
export function soundSheetName(name: string): string {
  const sound = name
    .replace(/[[\]:*?/\\]/g, ' ')
    .trim()
    .slice(0, MAX_SHEET_NAME)
    .replace(/^'|'$/g, ' ')
    .trim();
  return sound === '' ? 'Sheet1' : sound;
}

function contentTypes(sheetCount: number): string {
  const override = (part: string, type: string): string =>
    `<Override PartName="/${part}" ContentType="${TYPES}.${type}+xml"/>`;
  const sheets = Array.from({ length: sheetCount }, (_, index) => override(sheetPath(index), 'worksheet'));
  return (
    `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
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

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const entries = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${entries.join('')}</Relationships>`;
}
