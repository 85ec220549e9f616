/** Scans rows of a sheet without a parser, if they are written as spreadsheet programs write them. */
import { EQUALS, GREATER, LESS, QUOTE, SLASH, SPACE } from '../../../kernel/characters.js';
import { cellType, EMPTY_TEXT, MAX_DIGITS, MAX_LETTERS } from './cell-name.js';
import { resolveReferences } from './plain-xml.js';
import { CELL_TYPE, type RawRow } from './raw-row.js';

const C = 0x63;
const R = 0x72;
const S = 0x73;
const T = 0x74;

const ROW_OPENING = '<row';
const ROW_CLOSING = '</row>';
const CELL_CLOSING = '</c>';

/** The attributes that a scanned row may have; rows with other attributes are left to the parser. */
const ROW_ATTRIBUTES: ReadonlySet<string> = new Set([
  'r',
  'spans',
  's',
  'customFormat',
  'ht',
  'hidden',
  'customHeight',
  'outlineLevel',
  'collapsed',
  'thickTop',
  'thickBot',
  'x14ac:dyDescent',
]);

/**
 * Reads text[start, end), which ends with the first `</row>`, into a row. The text holds no character that XML does not
 * allow, no carriage return and no `]]>`.
 * @returns false when it is not plainly written, whether or not it is valid; `row` must then be begun again.
 */
export function scanRow(text: string, start: number, end: number, row: RawRow): boolean {
  if (!text.startsWith(ROW_OPENING, start)) return false;
  const opened = scanRowTag(text, start + ROW_OPENING.length, row);
  if (opened < 0) return false;
  const stop = end - ROW_CLOSING.length;
  const nextReference = text.indexOf('&', opened);
  scanner.reference = nextReference < 0 || nextReference > stop ? Number.POSITIVE_INFINITY : nextReference;
  let at = opened;
  while (at >= 0 && at < stop) at = scanCell(text, at, stop, row);
  return at === stop;
}

/** The position of the row's next reference (`&amp;`), which is searched once for each row and not for each text. */
const scanner = { reference: Number.POSITIVE_INFINITY };

/** @param start the position after `<row`. @returns where its content begins; -1 when the tag is not plain. */
function scanRowTag(text: string, start: number, row: RawRow): number {
  row.begin(0);
  const end = text.indexOf('>', start);
  let at = start;
  let seen = ' ';
  while (at < end) {
    if (text.charCodeAt(at) !== SPACE) return -1;
    const equals = text.indexOf('="', at);
    if (equals < 0 || equals > end) return -1;
    const name = text.slice(at + 1, equals);
    const close = text.indexOf('"', equals + 2);
    if (close < 0 || close > end || !ROW_ATTRIBUTES.has(name) || seen.includes(` ${name} `)) return -1;
    seen += `${name} `;
    const value = text.slice(equals + 2, close);
    if (name === 'r') {
      const number = digits(value, 0, value.length);
      if (number <= 0) return -1;
      row.begin(number);
    } else if (/[<&\n\t]/.test(value)) return -1;
    at = close + 1;
  }
  return end + 1;
}

/** @returns where the next cell begins; -1 when the cell is not plain. */
function scanCell(text: string, start: number, stop: number, row: RawRow): number {
  if (text.charCodeAt(start) !== LESS || text.charCodeAt(start + 1) !== C) return -1;
  let at = start + 2;
  let column = -1;
  let cellRow = 0;
  let type = -1;
  let style = -1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === GREATER) break;
    if (code === SLASH) {
      if (text.charCodeAt(at + 1) !== GREATER) return -1;
      row.add(column, cellRow, Math.max(type, 0), Math.max(style, 0), null, false);
      return at + 2;
    }
    if (code !== SPACE || text.charCodeAt(at + 2) !== EQUALS || text.charCodeAt(at + 3) !== QUOTE) return -1;
    const attribute = text.charCodeAt(at + 1);
    at += 4;
    if (attribute === R) {
      if (column >= 0) return -1;
      const letters = at;
      let letter = text.charCodeAt(at) - 65;
      for (column = 0; letter >= 0 && letter < 26; letter = text.charCodeAt(at) - 65) {
        column = column * 26 + letter + 1;
        at += 1;
      }
      column -= 1;
      const numbers = at;
      let digit = text.charCodeAt(at) - 48;
      for (; digit >= 0 && digit <= 9; digit = text.charCodeAt(at) - 48) {
        cellRow = cellRow * 10 + digit;
        at += 1;
      }
      if (numbers === letters || numbers - letters > MAX_LETTERS) return -1;
      if (at === numbers || at - numbers > MAX_DIGITS || cellRow === 0) return -1;
    } else if (attribute === S) {
      const close = text.indexOf('"', at);
      if (style >= 0 || close < 0 || close > stop) return -1;
      style = digits(text, at, close);
      if (style < 0) return -1;
      at = close;
    } else if (attribute === T) {
      const close = text.indexOf('"', at);
      if (type >= 0 || close < 0 || close > stop) return -1;
      type = close === at + 1 && text.charCodeAt(at) === S ? CELL_TYPE.shared : (cellType(text.slice(at, close)) ?? -1);
      if (type < 0) return -1;
      at = close;
    } else return -1;
    if (text.charCodeAt(at) !== QUOTE) return -1;
    at += 1;
  }
  return scanContent(text, at + 1, stop, row, column, cellRow, Math.max(type, 0), Math.max(style, 0));
}

/** @param start the position after the cell's opening tag. */
function scanContent(
  text: string,
  start: number,
  stop: number,
  row: RawRow,
  column: number,
  cellRow: number,
  type: number,
  style: number,
): number {
  let at = start;
  let formula = false;
  if (text.startsWith('<f', at)) {
    const open = formulaStart(text, at);
    const close = text.indexOf('<', open);
    if (open < 0 || close > stop || !text.startsWith('</f>', close)) return -1;
    const written = textBetween(text, open, close);
    if (written === null) return -1;
    formula = written !== EMPTY_TEXT;
    at = close + 4;
  }
  const inline = type === CELL_TYPE.inline;
  let from = -1;
  if (!inline && text.startsWith('<v>', at)) from = at + 3;
  else if (inline && text.startsWith('<is><t>', at)) from = at + 7;
  else if (inline && text.startsWith('<is><t xml:space="preserve">', at)) from = at + 28;
  let value: string | null = null;
  if (from >= 0) {
    const close = text.indexOf('<', from);
    if (close > stop || !text.startsWith(inline ? '</t></is>' : '</v>', close)) return -1;
    value = textBetween(text, from, close);
    if (value === null) return -1;
    at = close + (inline ? 9 : 4);
  }
  if (!text.startsWith(CELL_CLOSING, at)) return -1;
  row.add(column, cellRow, type, style, value, formula);
  return at + CELL_CLOSING.length;
}

/** Where a formula begins after its tag, which LibreOffice writes with an attribute; -1 when the tag is not plain. */
function formulaStart(text: string, at: number): number {
  if (text.startsWith('<f>', at)) return at + 3;
  return text.startsWith('<f aca="false">', at) ? at + 15 : -1;
}

/** The text with its references resolved; null when one of them is invalid. */
function textBetween(text: string, start: number, end: number): string | null {
  if (scanner.reference < start) {
    const next = text.indexOf('&', start);
    scanner.reference = next < 0 ? Number.POSITIVE_INFINITY : next;
  }
  const between = text.slice(start, end);
  return scanner.reference < end ? resolveReferences(between) : between;
}

/** The number that up to seven digits write; -1 when the text is not such a number. */
function digits(text: string, start: number, end: number): number {
  if (end === start || end - start > MAX_DIGITS) return -1;
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}
