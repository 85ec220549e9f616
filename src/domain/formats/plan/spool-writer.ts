/** Writes the normalised copy of an upload with back-pressure. */
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

export class SpoolWriter {
  readonly #done: Promise<void>;

  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
    this.#done = finished(stream);
    // The next write, or finish, reports a failure.
    this.#done.catch(() => undefined);
  }

  /** Resolves when the block was written: then its memory may be used again. */
  async write(block: Buffer): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.#stream.write(block, (error) => (error ? reject(error) : resolve()));
    });
    await Promise.race([written, this.#done]);
  }

  /** Ends the copy; resolves when all of it is written. */
  async finish(): Promise<void> {
    this.#stream.end();
    await this.#done;
  }

  /** Abandons the copy, which stays incomplete. */
  abandon(): void {
    this.#stream.destroy();
  }

  /** Yields the blocks, each after it was written. */
  async *copy(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const block of blocks) {
      await this.write(block);
      yield block;
    }
  }
}
