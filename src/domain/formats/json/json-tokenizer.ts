/**
 * Finds the tokens of JSON in bytes; all code that reads JSON without parsing it uses this. It recognises tokens but
 * does not validate the text: whatever is not plainly written is left to JSON.parse.
 */
import {
  BACKSLASH,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  CR,
  LF,
  MINUS,
  NINE,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
  TAB,
  ZERO,
} from '../../kernel/characters.js';
import { exactNumber } from '../../kernel/written-number.js';
import { endOfPlainText, isPart } from './json-bytes.js';
import { MARK, type Mark, type TextMark, TOKEN, type Token } from './json-tokens.js';

/** The bit in which brackets and braces differ. */
const BRACE = 0x20;

/** `start` and `end` are the position of the token or mark that was read last, without its quotes. */
export class JsonTokenizer {
  start = 0;
  end = 0;
  #at = 0;
  #stop = 0;
  #token: Token = TOKEN.none;

  /** Whether a text was cut after a backslash. */
  #cutInEscape = false;

  constructor(public bytes: Buffer = Buffer.alloc(0)) {}

  /** Starts to read at `start`, up to `stop`, in other bytes if they are given. */
  enter(start: number, stop: number, bytes: Buffer = this.bytes): void {
    this.bytes = bytes;
    this.#at = start;
    this.#stop = stop;
  }

  /** Index of the first byte that was not read. */
  get at(): number {
    return this.#at;
  }

  /** Reads the next text or bracket and skips everything before it. A bracket is at `start`. */
  mark(): Mark {
    const { bytes } = this;
    const stop = this.#stop;
    for (let at = this.#at; at < stop; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) return this.#readText(at + 1);
      const kind = byte | BRACE;
      if (kind === OPEN_OBJECT || kind === CLOSE_OBJECT) {
        this.start = at;
        this.#at = at + 1;
        return kind === OPEN_OBJECT ? MARK.open : MARK.close;
      }
    }
    this.#at = stop;
    return MARK.end;
  }

  /**
   * Skips the contents and the end of the bracket that was read last.
   * @param levels how deep it may nest, itself included
   * @returns false when it nests deeper, has no end, or holds a text that is not plain
   */
  skipNested(levels: number): boolean {
    const { bytes } = this;
    const stop = this.#stop;
    let depth = 1;
    for (let at = this.#at; at < stop; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        at = endOfPlainText(bytes, at + 1, stop);
        if (at < 0) return false;
        continue;
      }
      const kind = byte | BRACE;
      if (kind === OPEN_OBJECT) {
        depth++;
        if (depth > levels) return false;
      } else if (kind === CLOSE_OBJECT) {
        depth--;
        if (depth > 0) continue;
        this.#at = at + 1;
        return true;
      }
    }
    return false;
  }

  /** Continues inside a text that was cut at the end of the previous bytes, or of which only the quote was read. */
  restOfText(): TextMark {
    const isEscaped = this.#cutInEscape;
    this.#cutInEscape = false;
    return this.#readText(isEscaped && this.#at < this.#stop ? this.#at + 1 : this.#at);
  }

  colon(): boolean {
    return this.#accept(COLON);
  }

  /** `{` */
  open(): boolean {
    return this.#accept(OPEN_OBJECT);
  }

  /** `}` */
  close(): boolean {
    return this.#accept(CLOSE_OBJECT);
  }

  comma(): boolean {
    return this.#accept(COMMA);
  }

  /** Whether only white space is left. */
  atEnd(): boolean {
    this.#skipSpace();
    return this.#at === this.#stop;
  }

  /** Reads a key without escapes, and its colon. */
  key(): boolean {
    return this.value() === TOKEN.text && this.colon();
  }

  /**
   * Reads exactly the key `quoted`, which includes its quotes, and its colon. @returns false, without reading, if it
   * differs
   */
  isKey(quoted: Uint8Array): boolean {
    this.#skipSpace();
    const { bytes } = this;
    const from = this.#at;
    if (from + quoted.length > this.#stop) return false;
    for (let index = 0; index < quoted.length; index++) if (bytes[from + index] !== quoted[index]) return false;
    this.#at = from + quoted.length;
    if (this.colon()) return true;
    this.#at = from;
    return false;
  }

  /**
   * Reads a value that is not an object or array. A `text` has no escapes; a `number` or `word` may turn out to be
   * invalid when it is `parsed`.
   */
  value(): Token {
    this.#skipSpace();
    this.#token = this.#read();
    return this.#token;
  }

  /** The value of the token that was read last, of a number by its digits; undefined when it is not JSON. */
  parsed(): unknown {
    const quotes = this.#token === TOKEN.text || this.#token === TOKEN.escapedText ? 1 : 0;
    if (this.#token === TOKEN.text) return this.bytes.toString('utf8', this.start, this.end);
    const text = this.bytes.toString('utf8', this.start - quotes, this.end + quotes);
    try {
      const value: unknown = JSON.parse(text);
      return this.#token === TOKEN.number ? exactNumber(text) : value;
    } catch {
      return undefined;
    }
  }

  #read(): Token {
    const { bytes } = this;
    const first = this.#at < this.#stop ? (bytes[this.#at] as number) : 0;
    if (first === QUOTE) {
      const mark = this.#readText(this.#at + 1);
      if (mark === MARK.text) return TOKEN.text;
      return mark === MARK.escapedText ? TOKEN.escapedText : TOKEN.none;
    }
    const isNumber = first === MINUS || (first >= ZERO && first <= NINE);
    this.start = this.#at;
    let at = this.#at;
    while (at < this.#stop && isPart(bytes[at] as number)) at++;
    this.#at = at;
    this.end = at;
    if (at === this.start) return TOKEN.none;
    return isNumber ? TOKEN.number : TOKEN.word;
  }

  /** Reads a text whose inside begins at `from`. */
  #readText(from: number): TextMark {
    const { bytes } = this;
    const stop = this.#stop;
    const plainEnd = endOfPlainText(bytes, from, stop);
    if (plainEnd >= 0) {
      this.start = from;
      this.end = plainEnd;
      this.#at = plainEnd + 1;
      return MARK.text;
    }
    let mark: TextMark = MARK.text;
    let at = from;
    for (; at < stop; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        if (mark === MARK.text) mark = MARK.escapedText;
        at++;
      } else if (byte < SPACE) mark = MARK.faultyText;
    }
    this.start = from;
    this.end = at;
    this.#at = at + 1;
    if (at < stop) return mark;
    this.#cutInEscape = at > stop;
    this.#at = stop;
    return MARK.cut;
  }

  #accept(byte: number): boolean {
    this.#skipSpace();
    if (this.#at >= this.#stop || this.bytes[this.#at] !== byte) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    while (this.#at < this.#stop) {
      const byte = this.bytes[this.#at];
      if (byte !== SPACE && byte !== TAB && byte !== CR && byte !== LF) return;
      this.#at++;
    }
  }
}
