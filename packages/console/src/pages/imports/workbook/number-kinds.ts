/** How the cells of each style show their numbers: as numbers, days or times. */
import { unescapeMarkup } from './sheet-xml.js';

export interface NumberKind {
  readonly display: 'number' | 'day' | 'instant' | 'time';
  /** A whole number is shown with zeros up to so many digits, as codes of articles are. */
  readonly digits: number;
}

export const PLAIN: NumberKind = { display: 'number', digits: 1 };

/** Built-in formats, as the import reads them. */
const DAYS: readonly number[] = [14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58];
const TIMES: readonly number[] = [18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56];
const INSTANT = 22;

/** Parts of a code that do not show the number: quoted and escaped text, fill characters, colours, conditions. */
const LITERALS = /"[^"]*"?|\\.|[_*].|\[[^\]]*\]/g;
const ELAPSED = /\[(h+|m+|s+)\]/i;
const ZEROS = /^(0+)(?:;@)?$/;

/** By the index of a style. @param xml the styles of a workbook that Longshore has written */
export function kindsOfStyles(xml: string): readonly NumberKind[] {
  const custom = new Map<number, NumberKind>();
  for (const [, id, code = ''] of xml.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)) {
    custom.set(Number(id), kindOfCode(unescapeMarkup(code)));
  }
  const [, cells = ''] = /<cellXfs[^>]*>([\s\S]*)<\/cellXfs>/.exec(xml) ?? [];
  return [...cells.matchAll(/<xf numFmtId="(\d+)"/g)].map(([, id]) => custom.get(Number(id)) ?? builtIn(Number(id)));
}

function builtIn(id: number): NumberKind {
  if (DAYS.includes(id)) return { display: 'day', digits: 1 };
  if (TIMES.includes(id)) return { display: 'time', digits: 1 };
  return id === INSTANT ? { display: 'instant', digits: 1 } : PLAIN;
}

function kindOfCode(code: string): NumberKind {
  const shown = code.replace(LITERALS, (literal) => (literal.startsWith('[$') ? '' : literal));
  return { display: displayOf(code), digits: ZEROS.exec(shown)?.[1]?.length ?? 1 };
}

function displayOf(code: string): NumberKind['display'] {
  const [positive = ''] = code.replace(LITERALS, (literal) => (ELAPSED.test(literal) ? literal : '')).split(';');
  // Hours beyond a day are an amount of time, which is a number.
  if (ELAPSED.test(positive)) return 'number';
  const letters = positive.replace(/general|am\/pm|a\/p/gi, '').toLowerCase();
  if (/[0#?]/.test(letters.replace(/s\.0+/g, 's'))) return 'number';
  const hasTime = /[hs]/.test(letters);
  const hasDay = /[ydeg]/.test(letters) || (letters.includes('m') && !hasTime);
  if (hasDay) return hasTime ? 'instant' : 'day';
  return hasTime ? 'time' : 'number';
}
