/** Finds the key of a plainly written JSON object in its bytes, without parsing it: what PLAN wants of a million lines. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

export class JsonKeyFinder {
  /** Deeper objects are looked at by whoever parses them. */
  static readonly MOST_LEVELS = 8;

  /** Where the key found last lies, without its quotes. */
  start = 0;
  end = 0;
  readonly #field: Buffer;

  /** @param field the name of the field that holds the key */
  constructor(field: string) {
    this.#field = Buffer.from(field);
  }

  /**
   * Whether the bytes are an object without escapes that has one such field, a text. If they are JSON at all, the text is
   * the object's key; whether they are is not looked at.
   */
  find(bytes: Buffer, from: number, to: number): boolean {
    if (bytes[from] !== OPEN_OBJECT) return false;
    let depth = 0;
    let found = 0;
    let isKey = false;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        const start = at + 1;
        at = endOfText(bytes, start, to);
        if (at < 0) return false;
        if (isKey) {
          this.start = start;
          this.end = at;
          found++;
          isKey = false;
        } else if (depth === 1 && this.#isField(bytes, start, at)) {
          const colon = behindSpace(bytes, at + 1, to);
          isKey = bytes[colon] === COLON;
          if (!isKey) continue;
          at = behindSpace(bytes, colon + 1, to) - 1;
          // Not a text: the object has no key, or another field of the name.
          if (bytes[at + 1] !== QUOTE) return false;
        }
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth++;
        if (depth > JsonKeyFinder.MOST_LEVELS) return false;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth--;
      }
    }
    return found === 1 && depth === 0;
  }

  #isField(bytes: Buffer, start: number, end: number): boolean {
    const field = this.#field;
    if (end - start !== field.length) return false;
    for (let index = 0; index < field.length; index++) if (bytes[start + index] !== field[index]) return false;
    return true;
  }
}

/** Index of the quote that ends a text; -1: it has an escape, or no end. */
function endOfText(bytes: Buffer, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) return -1;
  }
  return -1;
}

/** Index of the first byte that is no white space; `to` when there is none. */
function behindSpace(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] as number) <= SPACE) at++;
  return at;
}
