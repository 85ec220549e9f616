/** Parses JSON without loss: numbers keep the digits that were written, and repeated members are reported. */
import { asDouble, WrittenNumber } from '../../kernel/written-number.js';
import { type ExactJson, ExactParser, type RepeatedMember } from './exact-parser.js';
import { losesNothing } from './loses-nothing.js';

/** A number that JSON.parse rounds. */
interface RoundedNumber {
  readonly text: string;
  /** Where it is, such as `order` or `mappings[0].position`. */
  readonly at: string;
}

const NONE: readonly RepeatedMember[] = [];

/**
 * Parses a JSON text of limited depth. Most texts are parsed by JSON.parse alone: a scan of the text shows that it
 * loses nothing.
 * @throws SyntaxError as JSON.parse does
 */
export function parseExactJson(text: string): ExactJson {
  const value: unknown = JSON.parse(text);
  return losesNothing(text, value) ? { value, repeated: NONE } : new ExactParser(text).parse();
}

/** What JSON.parse has lost of a JSON text. @param value what it made of the text */
export function lossesOf(
  text: string,
  value: unknown,
): { readonly repeated: readonly RepeatedMember[]; readonly rounded: readonly RoundedNumber[] } {
  if (losesNothing(text, value)) return { repeated: NONE, rounded: [] };
  const exact = new ExactParser(text).parse();
  return { repeated: exact.repeated, rounded: [...roundedIn(exact.value, '')] };
}

function* roundedIn(value: unknown, at: string): Generator<RoundedNumber> {
  if (value instanceof WrittenNumber) {
    if (asDouble(value) === value) yield { text: value.text, at };
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) yield* roundedIn(element, `${at}[${index}]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* roundedIn(member, at === '' ? name : `${at}.${name}`);
  }
}

/**
 * Parses a row only to find its key, which is absent when the row gives it more than once.
 * @param keyField the member that is the key; null when the key is not one member
 * @throws SyntaxError as JSON.parse does
 */
export function parseForKey(text: string, keyField: string | null): unknown {
  if (keyField === null) return parseExactJson(text).value;
  const quoted = `"${keyField}"`;
  const isGivenOnce = text.indexOf(quoted) === text.lastIndexOf(quoted) && !text.includes('\\u');
  return isGivenOnce ? JSON.parse(text) : parseExactJson(text).value;
}

/** Names repeated members for a message, such as `"Price" in "attributes"`. */
export function describeRepeated(repeated: readonly RepeatedMember[]): string {
  const shown = repeated.slice(0, 5).map(({ name, within }) => {
    const quoted = JSON.stringify(name.slice(0, 60));
    return within === '' ? quoted : `${quoted} in "${within.slice(0, 100)}"`;
  });
  const more = repeated.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
