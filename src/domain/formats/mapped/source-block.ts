/**
 * The rows of a source as they are written. The copy has those of a chunk behind the lines of the chunk, so that errors can
 * quote them: a block begins with its length, and each row with its number and its own length.
 */
const FIRST_BYTES = 512 * 1024;
const ROW_HEAD_BYTES = 8;
/** UTF-8 needs at most so many bytes for a UTF-16 unit. */
const MOST_BYTES_OF_A_UNIT = 3;

/** How long the beginning of a block is, which says how long the rest is. */
export const BLOCK_HEAD_BYTES = 4;

/** Collects the rows of one chunk after the other. */
export class SourceBlock {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #filled = BLOCK_HEAD_BYTES;

  get length(): number {
    return this.#filled;
  }

  /** Adds a row by its bytes. */
  add(row: number, source: Buffer, start: number, end: number): void {
    const at = this.#begin(row, end - start);
    source.copy(this.#bytes, at, start, end);
    this.#end(at, end - start);
  }

  addText(row: number, text: string): void {
    const at = this.#begin(row, text.length * MOST_BYTES_OF_A_UNIT);
    this.#end(at, this.#bytes.write(text, at, 'utf8'));
  }

  /** Writes the block, and begins the next one. */
  moveTo(target: Buffer, at: number): void {
    this.#bytes.writeUInt32LE(this.#filled - BLOCK_HEAD_BYTES, 0);
    this.#bytes.copy(target, at, 0, this.#filled);
    this.#filled = BLOCK_HEAD_BYTES;
  }

  #begin(row: number, bytes: number): number {
    const at = this.#filled + ROW_HEAD_BYTES;
    if (at + bytes > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow((at + bytes) * 2);
      this.#bytes.copy(larger, 0, 0, this.#filled);
      this.#bytes = larger;
    }
    this.#bytes.writeUInt32LE(row, this.#filled);
    return at;
  }

  #end(at: number, bytes: number): void {
    this.#bytes.writeUInt32LE(bytes, at - BLOCK_HEAD_BYTES);
    this.#filled = at + bytes;
  }
}

/** @param head the beginning of a block @returns the length of what follows it */
export function restOfBlock(head: Buffer): number {
  return head.readUInt32LE(0);
}

/** The rows of a block, in order. @param rest the block without its beginning */
export function* rowsOfBlock(rest: Buffer): Generator<{ readonly row: number; readonly bytes: Buffer }> {
  for (let at = 0; at < rest.length; ) {
    const row = rest.readUInt32LE(at);
    const start = at + ROW_HEAD_BYTES;
    at = start + rest.readUInt32LE(at + BLOCK_HEAD_BYTES);
    yield { row, bytes: rest.subarray(start, at) };
  }
}
