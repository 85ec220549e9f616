/** Walks through the bytes of one JSON text, token by token; whatever it does not know is left to JSON.parse. */

export const TOKEN = { none: 0, text: 1, escapedText: 2, number: 3, word: 4 } as const;
export type Token = (typeof TOKEN)[keyof typeof TOKEN];

const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Where the token read last lies, without its quotes, is in `start` and `end`. */
export class JsonCursor {
  start = 0;
  end = 0;
  #at = 0;
  #stop = 0;
  #token: Token = TOKEN.none;

  constructor(readonly bytes: Buffer) {}

  /** Begins to read what lies from `start` to `stop`. */
  enter(start: number, stop: number): void {
    this.#at = start;
    this.#stop = stop;
  }

  /** `{` */
  open(): boolean {
    return this.#take(OPEN);
  }

  /** `}` */
  close(): boolean {
    return this.#take(CLOSE);
  }

  comma(): boolean {
    return this.#take(COMMA);
  }

  /** Only white space is left. */
  atEnd(): boolean {
    this.#skipSpace();
    return this.#at === this.#stop;
  }

  /** A key without escapes, and the colon behind it. */
  key(): boolean {
    return this.value() === TOKEN.text && this.#take(COLON);
  }

  /** The very key `quoted`, with its quotes, and the colon behind it. @returns false, and nothing read, when it is another */
  isKey(quoted: Uint8Array): boolean {
    this.#skipSpace();
    const { bytes } = this;
    const from = this.#at;
    if (from + quoted.length > this.#stop) return false;
    for (let index = 0; index < quoted.length; index++) if (bytes[from + index] !== quoted[index]) return false;
    this.#at = from + quoted.length;
    if (this.#take(COLON)) return true;
    this.#at = from;
    return false;
  }

  /**
   * Reads a value that is no object or list.
   * `text` has no escapes; what `number` and `word` hold may still turn out to be none when it is `parsed`.
   */
  value(): Token {
    this.#skipSpace();
    this.#token = this.#read();
    return this.#token;
  }

  /** The value of the token read last; undefined: it is no JSON. */
  parsed(): unknown {
    const quotes = this.#token === TOKEN.text || this.#token === TOKEN.escapedText ? 1 : 0;
    if (this.#token === TOKEN.text) return this.bytes.toString('utf8', this.start, this.end);
    try {
      return JSON.parse(this.bytes.toString('utf8', this.start - quotes, this.end + quotes));
    } catch {
      return undefined;
    }
  }

  #read(): Token {
    const { bytes } = this;
    const first = this.#at < this.#stop ? (bytes[this.#at] as number) : 0;
    if (first === QUOTE) return this.#readText();
    const isNumber = first === MINUS || (first >= ZERO && first <= NINE);
    this.start = this.#at;
    let at = this.#at;
    while (at < this.#stop && isPart(bytes[at] as number)) at++;
    this.#at = at;
    this.end = at;
    if (at === this.start) return TOKEN.none;
    return isNumber ? TOKEN.number : TOKEN.word;
  }

  #readText(): Token {
    const { bytes } = this;
    const stop = this.#stop;
    let token: Token = TOKEN.text;
    let at = this.#at + 1;
    this.start = at;
    for (; at < stop; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) break;
      if (byte < SPACE) return TOKEN.none;
      if (byte === BACKSLASH) {
        token = TOKEN.escapedText;
        at++;
      }
    }
    if (at >= stop) return TOKEN.none;
    this.end = at;
    this.#at = at + 1;
    return token;
  }

  #take(byte: number): boolean {
    this.#skipSpace();
    if (this.#at >= this.#stop || this.bytes[this.#at] !== byte) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    while (this.#at < this.#stop) {
      const byte = this.bytes[this.#at];
      if (byte !== SPACE && byte !== TAB && byte !== CR) return;
      this.#at++;
    }
  }
}

/** Of a number, or of a word such as `null`. */
function isPart(byte: number): boolean {
  return (
    (byte >= ZERO && byte <= NINE) ||
    byte === MINUS ||
    byte === 0x2b ||
    byte === 0x2e ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x45
  );
}
