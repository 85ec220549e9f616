/** Writes the normalised copy of an upload with back-pressure. */
import { once } from 'node:events';
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

  async write(block: Buffer): Promise<void> {
    if (!this.#stream.write(block)) await Promise.race([once(this.#stream, 'drain'), this.#done]);
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
