/** The error file of a workbook as a table. It is a workbook that Longshore has written, and is written again with the cells that were corrected. */
import { cellKey, type Edits, type ErrorTable, type FailedRow } from '../error-table.js';
import { partsOfZip, type ZipPart } from '../zip-parts.js';
import { shownValue, typedValue } from './cell-values.js';
import { kindsOfStyles, type NumberKind } from './number-kinds.js';
import { newCell, readSheet, type Sheet, type SheetCell, type SheetRow, writeSheet } from './sheet-xml.js';
import { withText } from './write-zip.js';

const SHEET = 'xl/worksheets/sheet1.xml';
const STYLES = 'xl/styles.xml';
/** What only other programs write, or other files than these. */
const FOREIGN = /^xl\/(?:sharedStrings\.xml|worksheets\/sheet(?:[2-9]|1\d)\w*\.xml)$/;
/** Unpacked, a larger one is corrected in another program. */
const MOST_BYTES = 20_000_000;
/** The problem of a cell whose kind its column cannot accept: a date or a fraction among texts. */
const OF_WRONG_KIND = 'VALUE_TYPE';

/** @returns undefined: another program has written it, it is very large, or it is damaged */
export async function readErrorWorkbook(file: Blob): Promise<ErrorTable | undefined> {
  try {
    const parts = await partsOfZip(file);
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    if (bytes > MOST_BYTES || parts.some(({ name }) => FOREIGN.test(name))) return undefined;
    const [xml, styles] = [await textOf(parts, SHEET), await textOf(parts, STYLES)];
    const sheet = xml === undefined ? undefined : readSheet(xml);
    if (sheet === undefined || styles === undefined) return undefined;
    return tableOf(sheet, kindsOfStyles(styles), (text) => withText(parts, SHEET, text, file.type));
  } catch {
    return undefined;
  }
}

/** @throws RangeError for a part that is not what the archive says */
async function textOf(parts: readonly ZipPart[], name: string): Promise<string | undefined> {
  const part = parts.find((one) => one.name === name);
  if (part === undefined) return undefined;
  const decoder = new TextDecoder();
  let text = '';
  let read = 0;
  for (const reader = part.open().getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    read += value.byteLength;
    if (read > part.bytes) {
      await reader.cancel();
      break;
    }
    text += decoder.decode(value, { stream: true });
  }
  if (read !== part.bytes) throw new RangeError(`the part ${name} has another size`);
  return text + decoder.decode();
}

function tableOf(
  sheet: Sheet,
  kinds: readonly NumberKind[],
  packed: (xml: string) => Promise<Blob>,
): ErrorTable | undefined {
  const header = sheet.rows.findIndex(({ cells }) => cellOfText(cells, '_row') && cellOfText(cells, '_column'));
  const names = sheet.rows[header]?.cells ?? [];
  const rowColumn = cellOfText(names, '_row')?.column;
  if (rowColumn === undefined) return undefined;
  const textsOf = (cells: readonly SheetCell[]) => {
    const texts = Array.from({ length: rowColumn }, () => '');
    for (const cell of cells) if (cell.column < rowColumn) texts[cell.column] = shownValue(cell, kinds[cell.style]);
    return texts;
  };
  const columns = textsOf(names);
  const rows = sheet.rows.flatMap(({ cells }, record): FailedRow[] => {
    const row = Number(cells.find(({ column }) => column === rowColumn)?.value);
    // Rows that an import leaves out stand in the file, too, and have no number.
    return record > header && row > 0 ? [{ row, record, cells: textsOf(cells) }] : [];
  });
  const byRecord = new Map(rows.map((row) => [row.record, row.row]));
  const write = (edits: Edits, leftOut: ReadonlySet<number>) => {
    const corrected = sheet.rows.flatMap((one, record) => {
      const row = byRecord.get(record);
      if (row === undefined) return [one];
      // The rows behind it keep their numbers, which comments of cells are at.
      return leftOut.has(row) ? [] : [correctedRow(one, row, { columns, names, kinds, edits })];
    });
    return packed(writeSheet(sheet, corrected));
  };
  return { columns, rows, write };
}

function cellOfText(cells: readonly SheetCell[], text: string): SheetCell | undefined {
  return cells.find(({ kind, value }) => kind === 'text' && value === text);
}

interface Correction {
  readonly columns: readonly string[];
  /** The cells of the header. */
  readonly names: readonly SheetCell[];
  readonly kinds: readonly NumberKind[];
  readonly edits: Edits;
}

function correctedRow(sheetRow: SheetRow, row: number, { columns, names, kinds, edits }: Correction): SheetRow {
  const cells = new Map(sheetRow.cells.map((cell) => [cell.column, cell]));
  const wrongKinds = namesOfWrongKind(sheetRow, names);
  for (const [column, name] of columns.entries()) {
    const typed = edits.get(cellKey(row, column));
    if (typed === undefined) continue;
    const before = cells.get(column) ?? { column, style: 0, kind: 'empty', value: '' };
    const value = typedValue(typed, before, kinds[before.style], wrongKinds.has(keyOf(name)));
    cells.set(column, newCell(sheetRow.number, { column, style: before.style, ...value }));
  }
  return { number: sheetRow.number, cells: [...cells.values()].sort((a, b) => a.column - b.column) };
}

/** The names of the columns whose cells are of a kind that these cannot accept. */
function namesOfWrongKind({ cells }: SheetRow, names: readonly SheetCell[]): ReadonlySet<string> {
  const listOf = (name: string) => {
    const at = cellOfText(names, name)?.column;
    return cells.find(({ column }) => column === at)?.value.split('; ') ?? [];
  };
  const codes = listOf('_code');
  return new Set(listOf('_column').flatMap((name, index) => (codes[index] === OF_WRONG_KIND ? [keyOf(name)] : [])));
}

/** Names are compared without case and outer blanks, as the API does. */
function keyOf(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
