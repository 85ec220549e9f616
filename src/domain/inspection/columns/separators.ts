/** The separators that lists and paths have, and how a cell is divided by them. */
import { SEEN } from '../cells/cell-scan.js';

export interface Separator {
  readonly sign: string;
  /** The character that every cell with the separator has, as a bit of SEEN. */
  readonly bit: number;
  /** `always`: nothing but a path has it. `never`: no path has it. */
  readonly inPaths: 'always' | 'maybe' | 'never';
  /** Whether prose has it too, so that only values which occur again and again are a list. */
  readonly inProse: boolean;
}

/** Longer signs stand before those that they contain. */
export const SEPARATORS: readonly Separator[] = [
  { sign: '>>', bit: SEEN.greaterThan, inPaths: 'always', inProse: false },
  { sign: '->', bit: SEEN.greaterThan, inPaths: 'always', inProse: false },
  { sign: '=>', bit: SEEN.greaterThan, inPaths: 'always', inProse: false },
  { sign: '>', bit: SEEN.greaterThan, inPaths: 'always', inProse: false },
  { sign: '»', bit: SEEN.guillemet, inPaths: 'always', inProse: false },
  { sign: '›', bit: SEEN.guillemet, inPaths: 'always', inProse: false },
  { sign: '→', bit: SEEN.guillemet, inPaths: 'always', inProse: false },
  { sign: '||', bit: SEEN.pipe, inPaths: 'maybe', inProse: false },
  { sign: '|', bit: SEEN.pipe, inPaths: 'maybe', inProse: false },
  { sign: '::', bit: SEEN.colon, inPaths: 'maybe', inProse: false },
  { sign: ';', bit: SEEN.semicolon, inPaths: 'never', inProse: false },
  { sign: '\n', bit: SEEN.lineEnd, inPaths: 'never', inProse: true },
  { sign: '\\', bit: SEEN.backslash, inPaths: 'maybe', inProse: false },
  { sign: '/', bit: SEEN.slash, inPaths: 'maybe', inProse: true },
  { sign: '^', bit: SEEN.caret, inPaths: 'never', inProse: false },
  { sign: '~', bit: SEEN.tilde, inPaths: 'maybe', inProse: false },
  { sign: '•', bit: SEEN.bullet, inPaths: 'never', inProse: false },
  { sign: '·', bit: SEEN.bullet, inPaths: 'never', inProse: false },
  { sign: ',', bit: SEEN.comma, inPaths: 'never', inProse: true },
  { sign: ' - ', bit: SEEN.sign, inPaths: 'maybe', inProse: true },
];

/** The parts of a value, without blanks around them; empty parts at the ends are left out. */
export function partsOf(value: string, sign: string): string[] {
  const parts = value.split(sign).map((part) => part.trim());
  while (parts.length > 0 && parts[0] === '') parts.shift();
  while (parts.length > 0 && parts.at(-1) === '') parts.pop();
  return parts;
}
