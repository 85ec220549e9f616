/** Reads parts of a stream, one behind the other. */

export class StreamParts {
  readonly #blocks: AsyncGenerator<Buffer>;
  #block: Buffer = Buffer.alloc(0);
  /** Offset in the stream of the first byte of the block. */
  #at = 0;

  constructor(blocks: AsyncGenerator<Buffer>) {
    this.#blocks = blocks;
  }

  /** The bytes between two offsets, of which no byte may come before a part that was read. */
  async *between(start: number, end: number): AsyncGenerator<Buffer> {
    for (let from = start; from < end; ) {
      const beyond = this.#at + this.#block.length;
      if (from >= beyond) {
        const { value, done } = await this.#blocks.next();
        if (done) throw new Error(`a stream ended at ${beyond}, before ${end}`);
        this.#at = beyond;
        this.#block = value;
        continue;
      }
      const piece = this.#block.subarray(from - this.#at, end - this.#at);
      from += piece.length;
      yield piece;
    }
  }
}
