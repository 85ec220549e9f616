/** Parses JSON exactly: numbers keep the digits that were written, and repeated members are reported. */
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  MINUS,
  NINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  ZERO,
} from '../../kernel/characters.js';
import { exactNumber } from '../../kernel/written-number.js';

/** A member that an object has more than once. */
export interface RepeatedMember {
  readonly name: string;
  /** Where its object is, such as `attributes` or `bundleItems[0]`; empty for the outermost object. */
  readonly within: string;
}

export interface ExactJson {
  /** Numbers that a double does not print as they were written are WrittenNumbers. Repeated members are absent. */
  readonly value: unknown;
  readonly repeated: readonly RepeatedMember[];
}

/** Index of the quote that closes the text that opens at `from`. */
export function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    // An even number of backslashes are escaped ones, and the quote is not escaped.
    if ((at - before) % 2 === 1) return at;
  }
}

/** Numbers may have millions of digits, which an expression passes over ten times as fast as a loop. */
const WORD_END = /[\s,\]}]/g;

export function endOfWord(text: string, from: number): number {
  WORD_END.lastIndex = from;
  return WORD_END.exec(text)?.index ?? text.length;
}

/** Parses a text that is known to be valid JSON. */
export class ExactParser {
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
