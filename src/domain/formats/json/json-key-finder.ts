/**
 * Finds the key of a plainly written JSON object in its bytes, without parsing it, as planning must for a million
 * lines.
 */
import { OPEN_OBJECT } from '../../kernel/characters.js';
import { JsonTokenizer } from './json-tokenizer.js';
import { MARK, TOKEN } from './json-tokens.js';

export class JsonKeyFinder {
  /** Deeper objects are left to the parser. */
  static readonly MOST_LEVELS = 8;

  /** The position of the key that was found last, without its quotes. */
  start = 0;
  end = 0;
  readonly #field: Buffer;
  readonly #tokens = new JsonTokenizer();

  /** @param field the name of the field that holds the key */
  constructor(field: string) {
    this.#field = Buffer.from(field);
  }

  /**
   * Whether the bytes are an object without escapes that has exactly one such field, whose value is a text. If the
   * bytes are valid JSON, which is not checked, this text is the object's key.
   */
  find(bytes: Buffer, from: number, to: number): boolean {
    if (bytes[from] !== OPEN_OBJECT) return false;
    const tokens = this.#tokens;
    tokens.enter(from, to, bytes);
    let depth = 0;
    let found = 0;
    for (let mark = tokens.mark(); mark !== MARK.end; mark = tokens.mark()) {
      if (mark === MARK.text) {
        if (depth !== 1 || !this.#isField(bytes, tokens.start, tokens.end) || !tokens.colon()) continue;
        // The value is not a text: the object has no key, or it has another field of the name.
        if (tokens.value() !== TOKEN.text) return false;
        this.start = tokens.start;
        this.end = tokens.end;
        found++;
      } else if (mark === MARK.open) {
        if (depth === 0) depth = 1;
        else if (!tokens.skipNested(JsonKeyFinder.MOST_LEVELS - 1)) return false;
      } else if (mark === MARK.close) {
        depth--;
      } else {
        return false;
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
