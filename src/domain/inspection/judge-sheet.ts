/** Judges which sheet of a workbook has the rows. */
import { MOST_COUNTED_ROWS, type SheetCount } from '../formats/xlsx/read/sheet-count.js';
import { hasSheetName } from '../formats/xlsx/read/sheet-names.js';
import { quoted } from './columns/sentences.js';
import { type Answer, ambiguous, certain, likely } from './model/answer.js';

const MOST_RIVALS = 10;

/**
 * The first sheet with values that is not hidden, as for an import: a person decides if another one may be meant.
 * @param asked the sheet that was asked for
 * @returns null when the workbook has no sheets
 */
export function judgeSheet(sheets: readonly SheetCount[], asked: string | undefined): Answer<string> | null {
  if (asked !== undefined) {
    const named = sheets.find(({ name }) => hasSheetName(name, asked))?.name ?? asked;
    return certain(named, `The sheet ${quoted(named)} was asked for.`);
  }
  const visible = sheets.filter(({ hidden }) => !hidden);
  const shown = visible.length === 0 ? sheets.slice(0, 1) : visible;
  const read = shown.find(({ rows }) => rows > 0) ?? shown[0];
  if (read === undefined) return null;
  const { name } = read;
  const others = shown.filter((sheet) => sheet !== read);
  const rivals = others.filter(isTable).toSorted((a, b) => b.rows * b.columns - a.rows * a.columns);
  const [rival] = rivals;
  if (rival !== undefined) {
    const listed = rivals.map((sheet) => `${quoted(sheet.name)} has ${sizeOf(sheet)}`).slice(0, MOST_RIVALS);
    const reason = `The sheet ${quoted(name)} was read, the first with values that is not hidden: it has ${sizeOf(read)}; ${listed.join(', ')}.`;
    const names = rivals.slice(0, MOST_RIVALS).map((sheet) => sheet.name);
    const isEqual = rivals.some(({ rows, columns }) => rows >= read.rows && columns >= read.columns);
    return isEqual || !isTable(read) ? ambiguous(name, reason, names) : likely(name, reason, names);
  }
  if (sheets.length === 1) return certain(name, `${quoted(name)} is the only sheet.`);
  const reason =
    others.length === 0
      ? `${quoted(name)} is the only sheet that is not hidden.`
      : `${quoted(name)} is the only sheet with a table.`;
  return certain(name, reason);
}

/** A header and a row of several columns. */
function isTable({ rows, columns }: SheetCount): boolean {
  return rows > 1 && columns > 1;
}

function sizeOf({ rows, columns }: SheetCount): string {
  const counted = rows === MOST_COUNTED_ROWS ? `${rows} rows and more` : rows === 1 ? '1 row' : `${rows} rows`;
  return `${counted} of ${columns === 1 ? '1 column' : `${columns} columns`}`;
}
