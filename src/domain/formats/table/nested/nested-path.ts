/**
 * Paths of nested sources: `catalog/product` says where the rows are, and `images/0/url`, `price/@currency` or
 * `FEATURE[FNAME=Color]/FVALUE` where a column is within its row.
 */
import { RejectedInput } from '../../model/rejected-input.js';

/** The path of the document itself, and in a row that of its own text. */
export const SELF = '.';

/** `[child=value]`: only the elements whose child has this value. */
interface Selector {
  readonly key: string;
  readonly value: string;
}

export interface PathStep {
  readonly name: string;
  readonly selectors: readonly Selector[];
}

const SPECIAL = /[\\/[\]=]/g;
const SPECIAL_IN_VALUE = /[\\\]]/g;
const MAX_PATH_CHARACTERS = 1_000;

/** A name as paths have it: a backslash stands before `/`, `[`, `]`, `=` and itself. */
export function writtenStep(name: string): string {
  return name === '.' || name === '..' ? `\\${name}` : name.replace(SPECIAL, '\\$&');
}

/** A selector as paths have it. */
export function writtenSelector(key: string, value: string): string {
  return `[${writtenStep(key)}=${value.replace(SPECIAL_IN_VALUE, '\\$&')}]`;
}

/** The names of a path of rows; none for that of the document itself. @throws RejectedInput ROW_PATH_NOT_FOUND */
export function rowSteps(path: string): string[] {
  if (path === SELF) return [];
  return parsePath(path).map(({ name, selectors }) => {
    if (selectors.length === 0) return name;
    const message = `The path of the rows, "${path}", has a selector in brackets, which paths of columns alone may have. Leave it out.`;
    throw new RejectedInput('ROW_PATH_NOT_FOUND', message);
  });
}

/** Reads the path of a column. Whatever is written, some path is meant by it. */
export function parsePath(path: string): PathStep[] {
  const steps: PathStep[] = [];
  let at = 0;
  while (at <= path.length) {
    const name = readUntil(path, at, '/[');
    at = name.end;
    const selectors: Selector[] = [];
    while (path[at] === '[') {
      const key = readUntil(path, at + 1, '=]');
      if (path[key.end] !== '=') break;
      const value = readUntil(path, key.end + 1, ']');
      if (path[value.end] !== ']') break;
      selectors.push({ key: key.text, value: value.text });
      at = value.end + 1;
    }
    const rest = path[at] === '/' || at >= path.length ? '' : readUntil(path, at, '/');
    steps.push({ name: rest === '' ? name.text : name.text + rest.text, selectors });
    at = (rest === '' ? at : rest.end) + 1;
  }
  return steps;
}

/** Whether a path is longer than columns may be named. */
export function isTooLong(path: string): boolean {
  return path.length > MAX_PATH_CHARACTERS;
}

/** The text up to one of some characters that has no backslash before it, and the index of that character. */
function readUntil(path: string, from: number, ends: string): { readonly text: string; readonly end: number } {
  let text = '';
  let at = from;
  for (; at < path.length; at += 1) {
    const character = path[at] as string;
    if (ends.includes(character)) break;
    if (character === '\\' && at + 1 < path.length) at += 1;
    text += path[at];
  }
  return { text, end: at };
}
