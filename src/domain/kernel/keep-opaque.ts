/** Keeps a member of a parsed JSON text as it was written. */
import { OpaqueJson } from './opaque-json.js';

/**
 * Replaces one member of a parsed object, or of each object of a parsed array, by its text. If a key occurs twice, the
 * last one counts, as it does for JSON.parse.
 * @param value what JSON.parse made of `text`
 */
export function keepOpaque(value: unknown, text: string, member: string): void {
  const isList = Array.isArray(value);
  for (const { index, start, end } of membersOf(text, member, isList ? 2 : 1)) {
    const owner: unknown = isList ? value[index] : value;
    if (typeof owner === 'object' && owner !== null && !Array.isArray(owner) && Object.hasOwn(owner, member)) {
      Object.assign(owner, { [member]: new OpaqueJson(text.slice(start, end)) });
    }
  }
}

interface Member {
  /** The number of commas before it at the first level: the index of the element that contains it. */
  readonly index: number;
  /** The position of its value, without white space around it. */
  readonly start: number;
  readonly end: number;
}

/** Finds the values of all members of this name at a level: 1 is that of the outermost object. The text is valid JSON. */
function membersOf(text: string, member: string, level: number): Member[] {
  const found: Member[] = [];
  let depth = 0;
  let index = 0;
  let string: { readonly from: number; readonly to: number } | null = null;
  let valueFrom: number | null = null;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      const to = endOfString(text, at);
      string = { from: at, to };
      at = to - 1;
    } else if (character === '{' || character === '[') {
      depth++;
    } else if (character === ':') {
      // In front of a colon is a key.
      const isOurs = depth === level && string !== null && JSON.parse(text.slice(string.from, string.to)) === member;
      if (isOurs) valueFrom = at + 1;
    } else if (character === ',' || character === '}' || character === ']') {
      if (depth === level && valueFrom !== null) {
        const { start, end } = trimmed(text, valueFrom, at);
        found.push({ index, start, end });
        valueFrom = null;
      }
      if (character !== ',') depth--;
      else if (depth === 1) index++;
    }
  }
  return found;
}

/** Returns the position after the quotation mark that ends the string at `from`. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function trimmed(text: string, from: number, to: number): { readonly start: number; readonly end: number } {
  let start = from;
  let end = to;
  while (start < end && isSpace(text[start])) start++;
  while (end > start && isSpace(text[end - 1])) end--;
  return { start, end };
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}
