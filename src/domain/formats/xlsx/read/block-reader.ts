/** Reads the archive of a workbook in blocks, and distinguishes failures of the store from damage of the file. */
import { RandomAccessReader } from 'yauzl';
import type { RandomAccess } from '../../model/random-access.js';
import { RejectedInput } from '../../model/rejected-input.js';

export const BLOCK_BYTES = 64 * 1024;

/** Distinguishes failures of the store from errors in the file. */
export class WatchedSource implements RandomAccess {
  #failure: unknown = null;

  readonly #file: RandomAccess;
  readonly #damaged: (what: string) => RejectedInput;

  /** @param damaged the error of a file whose damage the message of an error says */
  constructor(file: RandomAccess, damaged: (what: string) => RejectedInput) {
    this.#file = file;
    this.#damaged = damaged;
  }

  get size(): number {
    return this.#file.size;
  }

  async readRange(start: number, end: number): Promise<Buffer> {
    try {
      return await this.#file.readRange(start, end);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }

  /** The cause of a failed unpacking: the store's own failure, or a damaged file. */
  causeOf(error: unknown): unknown {
    if (this.#failure !== null) return this.#failure;
    return error instanceof RejectedInput || !(error instanceof Error) ? error : this.#damaged(wordsOf(error));
  }
}

/** What the archive's reader says of the two faults that damaged archives mostly have, in the words of those who have one. */
function wordsOf({ message }: Error): string {
  if (/^End of central directory/.test(message)) return 'its end is missing';
  return /^Invalid comment length/.test(message) ? 'it has more bytes behind its end' : message;
}

/** The archive's directory is read in small steps, but from the store in whole blocks. */
export class BlockReader extends RandomAccessReader {
  #start = 0;
  #block: Buffer = Buffer.alloc(0);

  readonly #source: RandomAccess;

  constructor(source: RandomAccess) {
    super();
    this.#source = source;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead: number) => void,
  ): void {
    this.#fill(position, length).then(
      () => callback(null, this.#block.copy(buffer, offset, position - this.#start, position - this.#start + length)),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), 0),
    );
  }

  async #fill(position: number, length: number): Promise<void> {
    if (position >= this.#start && position + length <= this.#start + this.#block.length) return;
    const end = Math.min(this.#source.size, position + Math.max(length, BLOCK_BYTES));
    this.#block = end > position ? await this.#source.readRange(position, end) : Buffer.alloc(0);
    this.#start = position;
  }
}
