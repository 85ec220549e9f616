/**
 * Writes the cells of a column from their bytes, where that can be done without a text. Whatever is not plainly written is
 * left to the functions for texts, whose decision counts.
 */
import type { WorkbookColumn } from '../../formats/model/workbook-column.js';
import { ByteMap } from '../../kernel/byte-map.js';
import { CR, LF, NINE, QUOTE, SPACE, TAB, ZERO } from '../../kernel/characters.js';
import type { Step } from '../steps/registry.js';
import { LEFT_TO_TEXTS, type WriteCell } from './cell-writer.js';
import { dayCells } from './date-bytes.js';
import { numberCells } from './number-bytes.js';

const UNIT_SEPARATOR = 0x1f;

/**
 * @param column how the reader of our column reads cells
 * @param ofText makes the cell of a text
 */
export function writerOf(steps: readonly Step[], column: WorkbookColumn, ofText: (text: string) => string): WriteCell {
  if (steps.length === 0) {
    if (column.writeDate !== null) return copyDate;
    return column.kind === 'number' ? copyNumber : copyText;
  }
  const ofNumbers = column.decimalSeparator === '.' ? numberCells(steps) : undefined;
  return ofNumbers ?? dayCells(steps, column) ?? rememberedBytes(ofText);
}

/** Copies a text: `textCell` of a column of texts. */
function copyText(source: Buffer, start: number, end: number, target: Buffer, from: number, limit: number): number {
  let at = from;
  if (at + end - start > limit) return LEFT_TO_TEXTS;
  for (let index = start; index < end; index++) {
    const byte = source[index] as number;
    if ((byte < SPACE || byte === QUOTE) && isSpecial(byte)) return LEFT_TO_TEXTS;
    target[at++] = byte;
  }
  return at;
}

/** Copies a text that is still to be read as a number. */
function copyNumber(source: Buffer, start: number, end: number, target: Buffer, at: number, limit: number): number {
  if (at + end - start > limit) return LEFT_TO_TEXTS;
  for (let index = start; index < end; index++) {
    const byte = source[index] as number;
    if (byte < ZERO || byte > NINE) return copyDate(source, start, end, target, at, limit);
    target[at + index - start] = byte;
  }
  return at + end - start;
}

/** Copies a text that is still to be read: quotes say so, if it begins like a number or a date. */
function copyDate(source: Buffer, start: number, end: number, target: Buffer, at: number, limit: number): number {
  const first = source[start] as number;
  if (first > NINE && first < 0x80) return copyText(source, start, end, target, at, limit);
  if (first < ZERO || first > NINE || at + end - start + 2 > limit) return LEFT_TO_TEXTS;
  target[at] = QUOTE;
  const next = copyText(source, start, end, target, at + 1, limit);
  if (next < 0) return next;
  target[next] = QUOTE;
  return next + 1;
}

function isSpecial(byte: number): boolean {
  return byte === QUOTE || byte === LF || byte === CR || byte === UNIT_SEPARATOR || byte === 0;
}

const MOST_CELLS = 20_000;
const MOST_BYTES = 200;
/** After so many cells it is known whether they repeat. */
const JUDGED_AFTER = 40_000;

/** Remembers what was made of cells that come again and again: words, paths, days. */
function rememberedBytes(ofText: (text: string) => string): WriteCell {
  const known = new ByteMap<Buffer>();
  let fresh = 0;
  return (source, start, end, target, at, limit) => {
    if (fresh > JUDGED_AFTER || end - start > MOST_BYTES) return LEFT_TO_TEXTS;
    let made = known.get(source, start, end);
    if (made === undefined) {
      fresh += 1;
      made = Buffer.from(ofText(source.toString('utf8', start, end)));
      if (known.size < MOST_CELLS && made.length <= MOST_BYTES) known.set(source, start, end, made);
    }
    const { length } = made;
    if (at + length > limit) return LEFT_TO_TEXTS;
    for (let index = 0; index < length; index++) target[at + index] = made[index] as number;
    return at + length;
  };
}

/** Whether a cell has nothing but blanks; undefined: that its text must tell. */
export function isBlankBytes(source: Buffer, start: number, end: number): boolean | undefined {
  for (let index = start; index < end; index++) {
    const byte = source[index] as number;
    if (byte >= 0x80) return undefined;
    // Other control characters, such as NUL, are no blanks.
    if (byte !== SPACE && (byte < TAB || byte > CR)) return false;
  }
  return true;
}
