/** Holds the part of a stream that was not read yet, in one growing buffer. */
import { isUtf8 } from 'node:buffer';
import { wholeCharacters } from '../../../platform/whole-characters.js';

export class RecordWindow {
  /** The held bytes; those before `start` were read. They are valid until the next append. */
  bytes: Buffer = Buffer.alloc(0);
  /** Index of the first byte that was not read yet. */
  start = 0;
  /** True once invalid UTF-8 has come in: from then on each record must be checked. */
  suspect = false;
  #memory: Buffer = Buffer.alloc(0);
  #checkedTo = 0;
  #retryAt = 0;

  /** @param base offset in the stream of `bytes[0]`. */
  constructor(public base: number) {}

  get end(): number {
    return this.bytes.length;
  }

  get pending(): number {
    return this.bytes.length - this.start;
  }

  append(block: Buffer): void {
    const end = this.bytes.length;
    if (end + block.length > this.#memory.length) this.#makeRoom(block.length);
    const at = this.bytes.length;
    block.copy(this.#memory, at);
    this.bytes = this.#memory.subarray(0, at + block.length);
    if (!this.suspect) this.#checkEncoding(wholeCharacters(this.bytes));
  }

  /** To be called at the end of the stream, where an incomplete character is invalid. */
  close(): void {
    if (!this.suspect) this.#checkEncoding(this.bytes.length);
  }

  /** Whether the bytes of a record are valid. */
  isValid(from: number, to: number): boolean {
    return !this.suspect || isUtf8(this.bytes.subarray(from, to));
  }

  /**
   * Whether it is worth looking for records again. An incomplete record is scanned again only when its length has
   * doubled, so that a long record is not scanned for each block.
   */
  get worthReading(): boolean {
    return this.pending >= this.#retryAt;
  }

  /** To be called after each attempt. */
  markRead(): void {
    this.#retryAt = this.pending * 2;
  }

  #makeRoom(bytes: number): void {
    const kept = this.pending;
    const needed = kept + bytes;
    const target = needed > this.#memory.length ? Buffer.allocUnsafeSlow(needed * 2) : this.#memory;
    this.bytes.copy(target, 0, this.start);
    this.#memory = target;
    this.bytes = target.subarray(0, kept);
    this.base += this.start;
    this.#checkedTo = Math.max(0, this.#checkedTo - this.start);
    this.start = 0;
  }

  #checkEncoding(to: number): void {
    if (to > this.#checkedTo) this.suspect = !isUtf8(this.bytes.subarray(this.#checkedTo, to));
    this.#checkedTo = to;
  }
}
