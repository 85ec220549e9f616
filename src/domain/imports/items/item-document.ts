/** The documents of items as UTF-8. Those of a chunk share one buffer, so that millions of them leave no garbage. */

import type { ByteEncoder } from '../../catalog/model/compiled-attribute.js';

const FIRST_BYTES = 64 * 1024;
/** How many unused buffers are kept for the next chunks; only a few are ever in use at once. */
const MOST_IDLE = 6;
/** A buffer that a chunk of long texts has made larger than this is not kept. */
const MOST_IDLE_BYTES = 8 * 1024 * 1024;

const idle: Buffer[] = [];

/** A buffer that grows as documents are appended. */
export class DocumentBuffer {
  #bytes: Buffer;
  #length = 0;

  /** @param bytes the memory to write to first */
  constructor(bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)) {
    this.#bytes = bytes;
  }

  /** @param bytes a document */
  static of(bytes: Buffer): DocumentBuffer {
    const buffer = new DocumentBuffer(bytes);
    buffer.#length = bytes.length;
    return buffer;
  }

  /** Creates a buffer for the documents of a chunk, and reuses the memory of an earlier chunk if possible. */
  static forChunk(): DocumentBuffer {
    return new DocumentBuffer(idle.pop());
  }

  get length(): number {
    return this.#length;
  }

  /** Removes what was written after `length`. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Appends ASCII: the key of a member. */
  appendAscii(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    const target = this.#bytes;
    let at = this.#length;
    // Keys are short: a call of `set` takes longer than this loop.
    for (let index = 0; index < bytes.length; index++) target[at++] = bytes[index] as number;
    this.#length = at;
  }

  /** Appends a text. ASCII text, the usual case, is copied here, which costs less than calling the encoder. */
  append(text: string): void {
    this.#reserve(text.length * 3);
    const target = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) {
        this.#length += target.write(text, this.#length);
        return;
      }
      target[at++] = code;
    }
    this.#length = at;
  }

  /** Gives the memory to a later chunk; no document in it may be read again. */
  recycle(): void {
    if (idle.length < MOST_IDLE && this.#bytes.length <= MOST_IDLE_BYTES) idle.push(this.#bytes);
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
  }

  /** Appends a member whose value an encoder makes from a cell. @returns false, with nothing appended, if it cannot */
  appendCell(key: Uint8Array, encode: ByteEncoder, source: Buffer, start: number, end: number): boolean {
    const length = this.#length;
    this.#reserve(key.length + end - start + 2);
    this.appendAscii(key);
    const at = encode(source, start, end, this.#bytes, this.#length);
    this.#length = at < 0 ? length : at;
    return at >= 0;
  }

  toString(start: number, end: number): string {
    return this.#bytes.toString('utf8', start, end);
  }

  /** Copies a range unchanged. @returns where it ends in `target` */
  copyTo(target: Buffer, at: number, start: number, end: number): number {
    return at + this.#bytes.copy(target, at, start, end);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** The members of one item's document: JSON without its braces, somewhere in a buffer. */
export class ItemDocument {
  constructor(
    readonly buffer: DocumentBuffer,
    readonly start: number,
    readonly end: number,
  ) {}

  /** Creates a document in a buffer of its own. @param json a JSON object */
  static ofObject(json: object): ItemDocument {
    const bytes = Buffer.from(JSON.stringify(json).slice(1, -1));
    return new ItemDocument(DocumentBuffer.of(bytes), 0, bytes.length);
  }

  /** The same document in a buffer of its own. */
  copy(): ItemDocument {
    const bytes = Buffer.allocUnsafe(this.end - this.start);
    this.buffer.copyTo(bytes, 0, this.start, this.end);
    return new ItemDocument(DocumentBuffer.of(bytes), 0, bytes.length);
  }

  /** As a JSON object. */
  toJson(): string {
    return `{${this.buffer.toString(this.start, this.end)}}`;
  }

  parse(): Record<string, unknown> {
    return JSON.parse(this.toJson());
  }

  /** The size of the members in bytes. */
  get length(): number {
    return this.end - this.start;
  }

  /** Appends the members. @returns where they end in `target` */
  copyTo(target: Buffer, at: number): number {
    return this.buffer.copyTo(target, at, this.start, this.end);
  }
}
