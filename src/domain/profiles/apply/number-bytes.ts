/** Reads numbers from their bytes, for rules whose steps are `number`, with `trim` or `removeUnit` before it. */
import { COMMA, MINUS, NINE, POINT, SPACE, ZERO } from '../../kernel/characters.js';
import type { Step } from '../steps/registry.js';
import { LEFT_TO_TEXTS, type WriteCell } from './cell-writer.js';

const APOSTROPHE = 0x27;
const NO_SEPARATOR = -1;

/** @returns undefined for other steps */
export function numberCells(steps: readonly Step[]): WriteCell | undefined {
  const last = steps.at(-1);
  if (last?.step !== 'number') return undefined;
  const before = steps.slice(0, -1);
  if (!before.every(({ step }) => step === 'trim' || step === 'removeUnit')) return undefined;
  const units = before.flatMap((step) => (step.step === 'removeUnit' ? step.units : []));
  // Two steps remove two units one after the other.
  if (before.filter(({ step }) => step === 'removeUnit').length > 1) return undefined;
  const ends = [...units, ...(last.currency ?? [])].map((text) => Buffer.from(text));
  const decimal = last.decimal === ',' ? COMMA : POINT;
  const separator = separatorByte(last.thousands ?? '');
  return (source, start, end, target, from, limit) => {
    if (from + end - start > limit) return LEFT_TO_TEXTS;
    let at = from;
    let index = start;
    if (source[index] === MINUS) {
      target[at++] = MINUS;
      index += 1;
    }
    /** Digits since the last separator, and whether there was one. */
    let digits = 0;
    let isGrouped = false;
    const whole = at;
    for (; index < end; index++) {
      const byte = source[index] as number;
      if (byte >= ZERO && byte <= NINE) {
        target[at++] = byte;
        digits += 1;
      } else if (byte === separator && isDigit(source, index + 1, end)) {
        if (digits === 0 || digits > 3 || (isGrouped && digits !== 3)) return LEFT_TO_TEXTS;
        isGrouped = true;
        digits = 0;
      } else break;
    }
    if (at === whole || (isGrouped && digits !== 3)) return LEFT_TO_TEXTS;
    if (source[index] === decimal && index < end) {
      index += 1;
      const point = at;
      target[at++] = POINT;
      for (; index < end && isDigit(source, index, end); index++) target[at++] = source[index] as number;
      // Zeros at the end say nothing, and a reader of whole numbers accepts no fraction.
      while (at > point + 1 && target[at - 1] === ZERO) at -= 1;
      if (at === point + 1) at = point;
    }
    return index === end || endsWith(source, index, end, ends) ? at : LEFT_TO_TEXTS;
  };
}

function separatorByte(thousands: string): number {
  if (thousands === '') return NO_SEPARATOR;
  return thousands === "'" ? APOSTROPHE : thousands === ' ' ? SPACE : thousands.charCodeAt(0);
}

function isDigit(source: Buffer, at: number, end: number): boolean {
  const byte = source[at] as number;
  return at < end && byte >= ZERO && byte <= NINE;
}

/** Whether nothing but one of the units stands behind the number. */
function endsWith(source: Buffer, from: number, end: number, units: readonly Buffer[]): boolean {
  let start = from;
  while (start < end && source[start] === SPACE) start += 1;
  if (start === end) return true;
  for (const unit of units) {
    if (unit.length !== end - start) continue;
    let index = 0;
    while (index < unit.length && source[start + index] === unit[index]) index += 1;
    if (index === unit.length) return true;
  }
  return false;
}
