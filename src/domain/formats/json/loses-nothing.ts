/** Whether JSON.parse keeps a text as it was written. */
import { COLON, MINUS, NINE, QUOTE, ZERO } from '../../kernel/characters.js';
import { exactNumber } from '../../kernel/written-number.js';
import { closingQuote, endOfWord } from './exact-parser.js';

/**
 * Whether JSON.parse has kept every number as it was written, and every member. Outside of texts there is one colon for
 * each member, so that fewer members than colons mean that one is repeated.
 */
export function losesNothing(text: string, value: unknown): boolean {
  let colons = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = closingQuote(text, at);
    } else if (unit === COLON) {
      colons++;
    } else if (unit === MINUS || (unit >= ZERO && unit <= NINE)) {
      const end = endOfWord(text, at);
      if (!isShortWhole(text, at, end) && typeof exactNumber(text.slice(at, end)) !== 'number') return false;
      at = end - 1;
    }
  }
  return colons === countMembers(value);
}

/** Whether a token consists of at most 15 digits and begins with none that is dropped, so that a double keeps it. */
function isShortWhole(text: string, from: number, end: number): boolean {
  if (end - from > 15 || (text.charCodeAt(from) === ZERO && end - from > 1)) return false;
  for (let at = from; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit < ZERO || unit > NINE) return false;
  }
  return true;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') count += countMembers(element);
    return count;
  }
  const members: readonly unknown[] = Object.values(value);
  count = members.length;
  for (const member of members) if (typeof member === 'object') count += countMembers(member);
  return count;
}
