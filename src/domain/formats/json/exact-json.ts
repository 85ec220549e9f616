/** Parses JSON without loss: numbers keep the digits that were written, and repeated members are reported. */
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  MINUS,
  NINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  ZERO,
} from '../../kernel/characters.js';
import { asDouble, exactNumber, WrittenNumber } from '../../kernel/written-number.js';

/** A member that an object has more than once. */
interface RepeatedMember {
  readonly name: string;
  /** Where its object is, such as `attributes` or `bundleItems[0]`; empty for the outermost object. */
  readonly within: string;
}

/** A number that JSON.parse rounds. */
interface RoundedNumber {
  readonly text: string;
  /** Where it is, such as `order` or `mappings[0].position`. */
  readonly at: string;
}

interface ExactJson {
  /** Numbers that a double does not print as they were written are WrittenNumbers. Repeated members are absent. */
  readonly value: unknown;
  readonly repeated: readonly RepeatedMember[];
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

/**
 * Whether JSON.parse has kept every number as it was written, and every member. Outside of texts there is one colon for
 * each member, so that fewer members than colons mean that one is repeated.
 */
function losesNothing(text: string, value: unknown): boolean {
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

/** Index of the quote that closes the text that opens at `from`. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    // An even number of backslashes are escaped ones, and the quote is not escaped.
    if ((at - before) % 2 === 1) return at;
  }
}

/** Numbers may have millions of digits, which an expression passes over ten times as fast as a loop. */
const WORD_END = /[\s,\]}]/g;

function endOfWord(text: string, from: number): number {
  WORD_END.lastIndex = from;
  return WORD_END.exec(text)?.index ?? text.length;
}

/** Parses a text that is known to be valid JSON. */
class ExactParser {
  #at = 0;
  /** The members and elements that contain the value that is being read. */
  readonly #path: (string | number)[] = [];
  readonly #repeated: RepeatedMember[] = [];

  constructor(readonly text: string) {}

  parse(): ExactJson {
    return { value: this.#value(), repeated: this.#repeated };
  }

  #value(): unknown {
    const first = this.#next();
    if (first === OPEN_OBJECT) return this.#object();
    if (first === OPEN_ARRAY) return this.#array();
    if (first === QUOTE) return this.#string();
    const start = this.#at;
    this.#at = endOfWord(this.text, start);
    const word = this.text.slice(start, this.#at);
    return first === MINUS || (first >= ZERO && first <= NINE) ? exactNumber(word) : JSON.parse(word);
  }

  #object(): unknown {
    const members = new Map<string, unknown>();
    const repeated = new Set<string>();
    this.#at++;
    while (this.#next() !== CLOSE_OBJECT) {
      const name = this.#string();
      this.#next();
      this.#at++;
      this.#path.push(name);
      const value = this.#value();
      this.#path.pop();
      if (members.has(name)) repeated.add(name);
      members.set(name, value);
      if (this.#next() === COMMA) this.#at++;
    }
    this.#at++;
    for (const name of repeated) {
      members.delete(name);
      this.#repeated.push({ name, within: this.#within() });
    }
    return Object.fromEntries(members);
  }

  #array(): unknown {
    const elements: unknown[] = [];
    this.#at++;
    while (this.#next() !== CLOSE_ARRAY) {
      this.#path.push(elements.length);
      elements.push(this.#value());
      this.#path.pop();
      if (this.#next() === COMMA) this.#at++;
    }
    this.#at++;
    return elements;
  }

  #string(): string {
    const start = this.#at;
    this.#at = closingQuote(this.text, start) + 1;
    const inner = this.text.slice(start + 1, this.#at - 1);
    return inner.includes('\\') ? JSON.parse(`"${inner}"`) : inner;
  }

  #within(): string {
    return this.#path.reduce<string>((path, step) => {
      if (typeof step === 'number') return `${path}[${step}]`;
      return path === '' ? step : `${path}.${step}`;
    }, '');
  }

  /** Skips white space. @returns the character that follows */
  #next(): number {
    while (this.text.charCodeAt(this.#at) <= 0x20) this.#at++;
    return this.text.charCodeAt(this.#at);
  }
}
