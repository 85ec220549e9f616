/** Items' documents as UTF-8, those of a chunk side by side in one buffer: millions of them leave nothing to collect. */

import type { ByteEncoder } from '../../catalog/compiled-attribute.js';

const FIRST_BYTES = 64 * 1024;
const BACKSLASH = 92;
/** Chunks' buffers that wait for their next chunk; a few are all that are ever in use at once. */
const MOST_IDLE = 6;
/** One that a chunk of long texts has blown up is not kept. */
const MOST_IDLE_BYTES = 8 * 1024 * 1024;

const idle: Buffer[] = [];

/** A buffer that grows, written from its end. */
export class DocumentBuffer {
  #bytes: Buffer;
  #length = 0;
  #holdsBackslash = false;

  /** @param bytes the memory to write to first */
  constructor(bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)) {
    this.#bytes = bytes;
  }

  /** For the documents of a chunk, in memory that a chunk before has left if there is any. */
  static forChunk(): DocumentBuffer {
    return new DocumentBuffer(idle.pop());
  }

  get length(): number {
    return this.#length;
  }

  /** Whether a backslash was written since `start` was answered. */
  get holdsBackslash(): boolean {
    return this.#holdsBackslash;
  }

  /** Begins a document and answers where. */
  start(): number {
    this.#holdsBackslash = false;
    return this.#length;
  }

  /** Takes back what was written behind `length`. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Appends ASCII without a backslash: the key of a member. */
  appendAscii(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Appends a text. What is ASCII, as most is, is copied here, which costs less than a call of the encoder. */
  append(text: string): void {
    this.#reserve(text.length * 3);
    const target = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) {
        this.#appendEncoded(text);
        return;
      }
      if (code === BACKSLASH) this.#holdsBackslash = true;
      target[at++] = code;
    }
    this.#length = at;
  }

  /** Leaves the memory to another chunk: no document in it may be looked at again. */
  recycle(): void {
    if (idle.length < MOST_IDLE && this.#bytes.length <= MOST_IDLE_BYTES) idle.push(this.#bytes);
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
  }

  /** Appends a member whose value an encoder makes of a cell. @returns false, and nothing appended, when it does not */
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

  /** Copies a range as it is. @returns where it ends in `target` */
  copyTo(target: Buffer, at: number, start: number, end: number): number {
    return at + this.#bytes.copy(target, at, start, end);
  }

  /** Copies a range with every backslash doubled, as COPY wants it. @returns where it ends in `target` */
  copyEscapedTo(target: Buffer, at: number, start: number, end: number): number {
    const source = this.#bytes;
    let next = at;
    for (let index = start; index < end; index++) {
      const byte = source[index] as number;
      if (byte === BACKSLASH) target[next++] = BACKSLASH;
      target[next++] = byte;
    }
    return next;
  }

  #appendEncoded(text: string): void {
    if (text.includes('\\')) this.#holdsBackslash = true;
    this.#length += this.#bytes.write(text, this.#length);
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
    readonly holdsBackslash: boolean,
  ) {}

  /** A document of its own. @param json a JSON object */
  static ofObject(json: object): ItemDocument {
    const text = JSON.stringify(json).slice(1, -1);
    const buffer = new DocumentBuffer(Buffer.allocUnsafe(text.length * 3));
    buffer.append(text);
    return new ItemDocument(buffer, 0, buffer.length, buffer.holdsBackslash);
  }

  /** As a JSON object. */
  toJson(): string {
    return `{${this.buffer.toString(this.start, this.end)}}`;
  }

  parse(): Record<string, unknown> {
    return JSON.parse(this.toJson());
  }

  /** Bytes that COPY text of the members may take. */
  get maxCopyBytes(): number {
    return (this.end - this.start) * (this.holdsBackslash ? 2 : 1);
  }

  /** Appends the members as COPY text. @returns where they end in `target` */
  copyTo(target: Buffer, at: number): number {
    return this.holdsBackslash
      ? this.buffer.copyEscapedTo(target, at, this.start, this.end)
      : this.buffer.copyTo(target, at, this.start, this.end);
  }
}
