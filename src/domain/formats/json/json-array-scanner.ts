/** Walks the bytes of a JSON array, block by block, and records where its elements begin and end. */
import { RejectedInput } from '../model/rejected-input.js';
import { JsonTokenizer } from './json-tokenizer.js';
import { MARK } from './json-tokens.js';

enum Byte {
  Tab = 0x09,
  LineFeed = 0x0a,
  CarriageReturn = 0x0d,
  Space = 0x20,
  Quote = 0x22,
  Comma = 0x2c,
  OpenArray = 0x5b,
  CloseArray = 0x5d,
  OpenObject = 0x7b,
  CloseObject = 0x7d,
}

enum State {
  BeforeArray,
  FirstOrEnd,
  Element,
  AfterElement,
  Nested,
  Text,
  Scalar,
  Done,
}

export interface JsonArrayLimits {
  readonly maxElements: number;
  /** How deep arrays and objects may nest, the outermost array included. */
  readonly maxDepth: number;
}

/**
 * Checks the structure (brackets, texts, the commas between elements), not the syntax inside an element: that is left
 * to JSON.parse, so that an element can fail alone.
 */
export class JsonArrayScanner {
  /** Offsets at which elements begin; the last element may still be open. The caller removes them. */
  readonly starts: number[] = [];
  /** Offsets just past the elements' last bytes. */
  readonly ends: number[] = [];
  /** The number of elements that have begun so far. */
  count = 0;
  #state: State = State.BeforeArray;
  #depth = 0;
  /** The closing bracket that each depth expects. */
  readonly #closers: Uint8Array;
  readonly #tokens = new JsonTokenizer();

  readonly #limits: JsonArrayLimits;

  constructor(limits: JsonArrayLimits) {
    this.#limits = limits;
    this.#closers = new Uint8Array(limits.maxDepth + 1);
  }

  /**
   * Reads bytes `from` to `to` of a block.
   * @param base the offset of the block's byte 0 in the whole text.
   * @throws RejectedInput NOT_JSON, NOT_AN_ARRAY, TOO_DEEP or TOO_MANY_ROWS.
   */
  scan(block: Buffer, from: number, to: number, base: number): void {
    let state = this.#state;
    for (let at = from; at < to; at += 1) {
      const byte = block[at] as number;
      switch (state) {
        case State.Nested:
        case State.Text:
          this.#tokens.enter(at, to, block);
          state = state === State.Text ? this.#text(base) : this.#nested(base);
          at = this.#tokens.at - 1;
          break;
        case State.Scalar:
          if (isSpace(byte)) {
            this.ends.push(base + at);
            state = State.AfterElement;
          } else if (byte === Byte.Comma || byte === Byte.CloseArray) {
            this.ends.push(base + at);
            state = this.#afterElement(byte, base + at);
          }
          break;
        default:
          if (!isSpace(byte)) state = this.#between(state, byte, base + at);
      }
    }
    this.#state = state;
  }

  /** Continues inside an array or object. */
  #nested(base: number): State {
    const tokens = this.#tokens;
    for (let mark = tokens.mark(); mark !== MARK.end; mark = tokens.mark()) {
      if (mark === MARK.cut) return State.Text;
      if (mark === MARK.open) this.#open(tokens.bytes[tokens.start] as number, base + tokens.start);
      else if (mark === MARK.close) {
        this.#close(tokens.bytes[tokens.start] as number, base + tokens.start);
        if (this.#depth > 1) continue;
        this.ends.push(base + tokens.at);
        return State.AfterElement;
      }
    }
    return State.Nested;
  }

  /** Continues inside a text. */
  #text(base: number): State {
    if (this.#tokens.restOfText() === MARK.cut) return State.Text;
    if (this.#depth > 1) return State.Nested;
    this.ends.push(base + this.#tokens.at);
    return State.AfterElement;
  }

  /** Where the element that is still open began; -1 between elements. */
  get openStart(): number {
    return this.starts.length > this.ends.length ? (this.starts.at(-1) ?? -1) : -1;
  }

  /** Called at the end of the text. @throws RejectedInput when the array is incomplete. */
  finish(offset: number): void {
    if (this.#state === State.Done) return;
    if (this.#state === State.BeforeArray) throw new RejectedInput('EMPTY_FILE', 'The JSON text is empty.');
    throw this.#notJson(`it ends at byte ${offset} before the array is closed`);
  }

  /** Handles a byte outside of all elements that is not white space. */
  #between(state: State, byte: number, offset: number): State {
    if (state === State.BeforeArray) {
      if (byte !== Byte.OpenArray) throw notAnArray(byte, offset);
      this.#depth = 1;
      this.#closers[1] = Byte.CloseArray;
      return State.FirstOrEnd;
    }
    if (state === State.Done) throw this.#notJson(`there is more after the array's end, at byte ${offset}`);
    if (state === State.AfterElement) return this.#afterElement(byte, offset);
    if (state === State.FirstOrEnd && byte === Byte.CloseArray) return State.Done;
    if (byte === Byte.Comma || byte === Byte.CloseArray || byte === Byte.CloseObject) {
      throw this.#notJson(`an element is missing before the ${quoted(byte)} at byte ${offset}`);
    }
    return this.#begin(byte, offset);
  }

  #begin(byte: number, offset: number): State {
    if (this.count >= this.#limits.maxElements) {
      throw new RejectedInput(
        'TOO_MANY_ROWS',
        `The array has more than ${this.#limits.maxElements} elements. Split it and send the parts one by one.`,
      );
    }
    this.count += 1;
    this.starts.push(offset);
    if (byte === Byte.Quote) return State.Text;
    if (byte !== Byte.OpenObject && byte !== Byte.OpenArray) return State.Scalar;
    this.#open(byte, offset);
    return State.Nested;
  }

  #afterElement(byte: number, offset: number): State {
    if (byte === Byte.Comma) return State.Element;
    if (byte === Byte.CloseArray) return State.Done;
    throw this.#notJson(`element ${this.count - 1} is followed by ${quoted(byte)} at byte ${offset}, not by a comma`);
  }

  #open(byte: number, offset: number): void {
    if (this.#depth >= this.#limits.maxDepth) {
      throw new RejectedInput(
        'TOO_DEEP',
        `Element ${this.count - 1} nests deeper than ${this.#limits.maxDepth} levels, at byte ${offset}.`,
        { row: this.count },
      );
    }
    this.#depth += 1;
    this.#closers[this.#depth] = byte === Byte.OpenObject ? Byte.CloseObject : Byte.CloseArray;
  }

  #close(byte: number, offset: number): void {
    const expected = this.#closers[this.#depth] as number;
    if (byte !== expected) {
      throw this.#notJson(
        `element ${this.count - 1} has ${quoted(byte)} at byte ${offset} where ${quoted(expected)} must come first`,
      );
    }
    this.#depth -= 1;
  }

  #notJson(what: string): RejectedInput {
    const at = this.count > 0 ? { row: this.count } : {};
    return new RejectedInput('NOT_JSON', `The text is not a JSON array: ${what}.`, at);
  }
}

function isSpace(byte: number): boolean {
  return byte === Byte.Space || byte === Byte.LineFeed || byte === Byte.CarriageReturn || byte === Byte.Tab;
}

function quoted(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16).padStart(2, '0')}`;
}

/** The first byte distinguishes another JSON value from a text that is not JSON. */
function notAnArray(byte: number, offset: number): RejectedInput {
  if (byte === Byte.OpenObject) {
    return new RejectedInput(
      'NOT_AN_ARRAY',
      'The JSON text is an object, not an array. Put the rows into an array: [{…}, {…}].',
    );
  }
  if ('"-0123456789tfn'.includes(String.fromCharCode(byte))) {
    return new RejectedInput(
      'NOT_AN_ARRAY',
      'The JSON text is a single value. Put the rows into an array: [{…}, {…}].',
    );
  }
  return new RejectedInput('NOT_JSON', `The text is not JSON: ${quoted(byte)} at byte ${offset} begins no JSON value.`);
}
