/** Reads days from their bytes, for rules whose step is `date` with one format of two, two and four digits: `dd.MM.yyyy`. */

import { compileDateFormat, type DateField } from '../../catalog/model/date-format.js';
import type { WorkbookColumn } from '../../formats/model/workbook-column.js';
import { MINUS, ZERO } from '../../kernel/characters.js';
import type { Step } from '../steps/registry.js';
import { LEFT_TO_TEXTS, type WriteCell } from './cell-writer.js';

const DAY_BYTES = 'yyyy-MM-dd'.length;
/** Days in which a column that writes them as they are differs from one that writes them in a format. */
const PROBES = ['2001-02-03', '2031-12-29'];

/** @param column how the reader of our column reads dates @returns undefined for other steps and columns */
export function dayCells(steps: readonly Step[], { writeDate }: WorkbookColumn): WriteCell | undefined {
  const [step] = steps;
  if (steps.length !== 1 || step?.step !== 'date' || step.formats.length !== 1) return undefined;
  if (writeDate !== null && !PROBES.every((day) => writeDate(day) === day)) return undefined;
  const shape = shapeOf(step.formats[0] ?? '');
  if (shape === undefined) return undefined;
  const { year, month, day, literals } = shape;
  return (source, start, end, target, at, limit) => {
    if (end - start !== DAY_BYTES || at + DAY_BYTES > limit) return LEFT_TO_TEXTS;
    for (const { place, byte } of literals) if (source[start + place] !== byte) return LEFT_TO_TEXTS;
    const century = twoDigits(source, start + year);
    const ofCentury = twoDigits(source, start + year + 2);
    const months = twoDigits(source, start + month);
    const days = twoDigits(source, start + day);
    if (century < 10 || ofCentury < 0 || months < 1 || months > 12 || days < 1) return LEFT_TO_TEXTS;
    // Whether a month has a day 29, 30 or 31 is asked of the step itself where it depends.
    if (days > 28 && (months === 2 || days > (SHORT_MONTHS.includes(months) ? 30 : 31))) return LEFT_TO_TEXTS;
    copyDigits(source, start + year, target, at, 4);
    target[at + 4] = MINUS;
    copyDigits(source, start + month, target, at + 5, 2);
    target[at + 7] = MINUS;
    copyDigits(source, start + day, target, at + 8, 2);
    return at + DAY_BYTES;
  };
}

const SHORT_MONTHS = [4, 6, 9, 11];

interface DayShape extends Readonly<Record<'year' | 'month' | 'day', number>> {
  readonly literals: readonly { readonly place: number; readonly byte: number }[];
}

/** Where the parts are in a text of the format; undefined: it has others, or parts of one digit. */
function shapeOf(format: string): DayShape | undefined {
  const places: Partial<Record<DateField, number>> = {};
  const literals: { place: number; byte: number }[] = [];
  let at = 0;
  for (const piece of compileDateFormat(format).pieces) {
    if (typeof piece !== 'string') {
      if (piece.width !== (piece.field === 'year' ? 4 : 2)) return undefined;
      places[piece.field] = at;
      at += piece.width;
      continue;
    }
    // Letters are read in any case.
    if (!/^[ -@[-`{-~]*$/.test(piece)) return undefined;
    for (const character of piece) literals.push({ place: at++, byte: character.charCodeAt(0) });
  }
  const { year, month, day, ...others } = places;
  if (at !== DAY_BYTES || year === undefined || month === undefined || day === undefined) return undefined;
  return Object.keys(others).length > 0 ? undefined : { year, month, day, literals };
}

/** @returns -1 when these are no digits */
function twoDigits(source: Buffer, at: number): number {
  const tens = (source[at] as number) - ZERO;
  const ones = (source[at + 1] as number) - ZERO;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
}

function copyDigits(source: Buffer, from: number, target: Buffer, at: number, count: number): void {
  for (let index = 0; index < count; index++) target[at + index] = source[from + index] as number;
}
