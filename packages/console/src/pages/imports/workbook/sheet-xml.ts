/**
 * The XML of a sheet as Longshore writes it, in pieces that are written again as they were. Another form is not read: what
 * is not understood could not be kept.
 */

export interface SheetCell {
  readonly column: number;
  /** Index of its style. */
  readonly style: number;
  readonly kind: 'text' | 'number' | 'boolean' | 'error' | 'empty';
  /** What it holds, as the file has it. */
  readonly value: string;
  readonly xml: string;
}

export interface SheetRow {
  readonly number: number;
  readonly cells: readonly SheetCell[];
}

export interface Sheet {
  /** All up to the first row. */
  readonly before: string;
  readonly rows: readonly SheetRow[];
  /** All behind the last row. */
  readonly after: string;
}

type Kind = SheetCell['kind'];

const OPENING = '<sheetData>';
const CLOSING = '</sheetData>';
const ROW = /<row r="(\d+)">/y;
const ROW_END = '</row>';
const CELL =
  /<c r="([A-Z]{1,3})(\d+)"(?: s="(\d+)")?(?: t="(\w+)")?(?:\/>|>(?:<v>([^<]*)<\/v>|<is><t(?: xml:space="preserve")?>([^<]*)<\/t><\/is>)<\/c>)/y;
const KINDS: Readonly<Record<string, Kind>> = { inlineStr: 'text', b: 'boolean', e: 'error' };

/** @returns undefined for a sheet in another form */
export function readSheet(xml: string): Sheet | undefined {
  const start = xml.indexOf(OPENING) + OPENING.length;
  const end = xml.lastIndexOf(CLOSING);
  if (start < OPENING.length || end < start) return undefined;
  const rows: SheetRow[] = [];
  for (let at = start; at < end; ) {
    ROW.lastIndex = at;
    const number = ROW.exec(xml)?.[1];
    const rowEnd = xml.indexOf(ROW_END, at);
    if (number === undefined || rowEnd === -1) return undefined;
    const cells = cellsOf(xml, ROW.lastIndex, rowEnd, number);
    if (cells === undefined) return undefined;
    rows.push({ number: Number(number), cells });
    at = rowEnd + ROW_END.length;
  }
  return { before: xml.slice(0, start), rows, after: xml.slice(end) };
}

function cellsOf(xml: string, from: number, to: number, row: string): readonly SheetCell[] | undefined {
  const cells: SheetCell[] = [];
  for (let at = from; at < to; at = CELL.lastIndex) {
    CELL.lastIndex = at;
    const match = CELL.exec(xml);
    if (match === null || match[2] !== row) return undefined;
    const [all, letters = '', , style = '0', type, number, text] = match;
    const kind = number === undefined && text === undefined ? 'empty' : type === undefined ? 'number' : KINDS[type];
    if (kind === undefined || (kind === 'text') !== (text !== undefined)) return undefined;
    const value = text === undefined ? unescapeMarkup(number ?? '') : unescapeText(text);
    cells.push({ column: columnOf(letters), style: Number(style), kind, value, xml: all });
  }
  return cells;
}

/** The sheet with these rows. */
export function writeSheet({ before, after }: Sheet, rows: readonly SheetRow[]): string {
  const written = rows.map(
    ({ number, cells }) => `<row r="${number}">${cells.map(({ xml }) => xml).join('')}${ROW_END}`,
  );
  return `${before}${written.join('')}${after}`;
}

/** A cell with another value; an empty one keeps its style. */
export function newCell(row: number, cell: Omit<SheetCell, 'xml'>): SheetCell {
  const { column, style, kind, value } = cell;
  const opening = `<c r="${nameOf(column)}${row}"${style === 0 ? '' : ` s="${style}"`}`;
  if (kind === 'empty') return { ...cell, xml: `${opening}/>` };
  if (kind !== 'text') {
    const type = kind === 'boolean' ? ' t="b"' : kind === 'error' ? ' t="e"' : '';
    return { ...cell, xml: `${opening}${type}><v>${value}</v></c>` };
  }
  // Readers may drop outer white space otherwise.
  const space = /^\s|\s$|[\t\n]/.test(value) ? ' xml:space="preserve"' : '';
  return { ...cell, xml: `${opening} t="inlineStr"><is><t${space}>${escapeText(value)}</t></is></c>` };
}

/** 0 is A, 26 is AA. */
function nameOf(column: number): string {
  let name = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  }
  return name;
}

function columnOf(letters: string): number {
  return [...letters].reduce((index, letter) => index * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow these
const UNWRITABLE = /[\x00-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

/** `_xHHHH_` stands for a character that XML does not allow, and `_x005F_` for the `_` of a literal one. */
function escapeText(text: string): string {
  const code = (character: string) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  const allowed = text.replace(/_(?=x[0-9a-fA-F]{4}_)/g, '_x005F_').replace(UNWRITABLE, code);
  return allowed.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function unescapeText(text: string): string {
  return unescapeMarkup(text).replace(/_x([0-9a-fA-F]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Texts between tags and in attributes. */
export function unescapeMarkup(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
