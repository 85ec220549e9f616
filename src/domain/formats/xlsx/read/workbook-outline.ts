/** Reads the structure of a workbook: its sheets, its date system, and where its other parts are. */
import { RejectedInput } from '../../model/rejected-input.js';
import { readRelationships } from './relationships.js';
import { localName, readXml, type XmlAttributes } from './safe-xml-parser.js';
import { hasSheetName, sheetNotFound } from './sheet-names.js';
import type { WorkbookLimits } from './workbook-limits.js';
import { damaged, tooComplex } from './workbook-problem.js';
import type { ZipArchive } from './zip-archive.js';

interface WorkbookOutline {
  /** The part of the sheet that is to be read. */
  readonly sheet: string;
  readonly sheetName: string;
  /** Null when the workbook has none. */
  readonly sharedStrings: string | null;
  readonly styles: string | null;
  /** Whether days count from 1904. */
  readonly date1904: boolean;
  /** Whether the workbook asks to be calculated when it is opened: the program that wrote it has calculated nothing. */
  readonly isUncalculated: boolean;
}

interface NamedSheet {
  readonly name: string;
  readonly relation: string;
  readonly hidden: boolean;
}

/** A sheet with rows, and the part of the archive that has them. */
interface SheetPart {
  readonly name: string;
  readonly hidden: boolean;
  readonly part: string;
}

/** The sheets of a workbook in their order. @throws RejectedInput as readOutline does */
export async function readSheetParts(archive: ZipArchive, limits: WorkbookLimits): Promise<SheetPart[]> {
  const part = await workbookPart(archive, limits);
  const { sheets } = await readWorkbook(archive, part, limits);
  const targets = worksheets(await readRelationships(archive, part, limits));
  return sheets.flatMap(({ name, hidden, relation }) => {
    const target = targets.get(relation);
    return target === undefined ? [] : [{ name, hidden, part: target }];
  });
}

/** The parts of worksheets by the ids of their relations: a sheet may also be a chart. */
function worksheets(relations: Awaited<ReturnType<typeof readRelationships>>): ReadonlyMap<string, string> {
  return new Map(relations.filter(({ type }) => type === 'worksheet').map(({ id, target }) => [id, target]));
}

/**
 * @param sheetName the sheet to read, in any case; undefined reads the first that is not hidden.
 * @throws RejectedInput WRONG_FORMAT for an archive that is not a workbook, SHEET_NOT_FOUND, and the errors of reading.
 */
export async function readOutline(
  archive: ZipArchive,
  sheetName: string | undefined,
  limits: WorkbookLimits,
): Promise<WorkbookOutline> {
  const part = await workbookPart(archive, limits);
  const { sheets, date1904, isUncalculated } = await readWorkbook(archive, part, limits);
  const relations = await readRelationships(archive, part, limits);
  const targets = worksheets(relations);
  const sheet = chooseSheet(
    sheets.filter(({ relation }) => targets.has(relation)),
    sheetName,
  );
  const target = targets.get(sheet.relation) ?? '';
  if (!archive.has(target)) throw damaged(`the part of its sheet "${sheet.name}" is missing`);
  const partOf = (type: string): string | null => {
    const found = relations.find((relation) => relation.type === type)?.target ?? null;
    return found !== null && archive.has(found) ? found : null;
  };
  return {
    sheet: target,
    sheetName: sheet.name,
    sharedStrings: partOf('sharedStrings'),
    styles: partOf('styles'),
    date1904,
    isUncalculated,
  };
}

async function workbookPart(archive: ZipArchive, limits: WorkbookLimits): Promise<string> {
  const roots = await readRelationships(archive, '', limits);
  const part = roots.find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml';
  if (/\.bin$/i.test(part)) throw noWorkbook('a binary workbook (XLSB)', 'Save it as .xlsx.');
  if (!archive.has(part)) throw noWorkbook('an archive (ZIP) without a workbook in it', 'Unpack it.');
  return part;
}

async function readWorkbook(
  archive: ZipArchive,
  part: string,
  limits: WorkbookLimits,
): Promise<Pick<WorkbookOutline, 'date1904' | 'isUncalculated'> & { sheets: NamedSheet[] }> {
  const sheets: NamedSheet[] = [];
  let date1904 = false;
  let isUncalculated = false;
  let depth = 0;
  const handler = {
    open: (fullName: string, attributes: XmlAttributes) => {
      const name = localName(fullName);
      depth += 1;
      if (depth === 1 && name !== 'workbook') {
        throw noWorkbook('a document of another kind (such as DOCX or PPTX)', 'Upload the workbook.');
      }
      if (name === 'workbookPr') date1904 = isTrue(attributes.date1904);
      if (name === 'calcPr') isUncalculated = isTrue(attributes.fullCalcOnLoad);
      if (name !== 'sheet') return;
      if (sheets.length >= limits.maxSheets) throw tooComplex(`The workbook has more than ${limits.maxSheets} sheets`);
      const relation = Object.keys(attributes).find((key) => localName(key) === 'id' && key !== 'id');
      const hidden = attributes.state === 'hidden' || attributes.state === 'veryHidden';
      sheets.push({ name: attributes.name ?? '', relation: attributes[relation ?? ''] ?? '', hidden });
    },
    close: () => {
      depth -= 1;
    },
    text: () => undefined,
  };
  await readXml(archive.read(part), handler, limits);
  return { sheets, date1904, isUncalculated };
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

function chooseSheet(sheets: readonly NamedSheet[], wanted: string | undefined): NamedSheet {
  const sheet =
    wanted === undefined
      ? (sheets.find(({ hidden }) => !hidden) ?? sheets[0])
      : sheets.find(({ name }) => hasSheetName(name, wanted));
  if (sheet !== undefined) return sheet;
  throw sheetNotFound(
    sheets.map(({ name }) => name),
    wanted,
  );
}

function noWorkbook(is: string, advice: string): RejectedInput {
  return new RejectedInput('WRONG_FORMAT', `The file's name says XLSX, but the file is ${is}. ${advice}`);
}
