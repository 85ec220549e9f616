/**
 * Writes the lines of a log, and loses some of them rather than end the process or make it wait: the disk of the log may be
 * full, and is often that of the data.
 */
import { write, writeSync } from 'node:fs';

/** How many characters wait until they can be written; further lines are lost. */
const MOST_WAITING = 1_048_576;
const AGAIN_MS = 100;
/** How often the last lines are tried before the process ends: a reader of a pipe may be slow. */
const LAST_TRIES = 50;
const LAST_TRY_MS = 20;

export class LogStream {
  /** What is being written. */
  #bytes: Buffer = Buffer.alloc(0);
  #waiting = '';
  #lost = 0;
  #state: 'idle' | 'writing' | 'failed' | 'closed' = 'idle';

  /** @param fd stays open */
  constructor(readonly fd: number) {}

  write(line: string): void {
    if (this.#state === 'closed') return;
    if (this.#waiting.length + line.length > MOST_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#waiting += line;
    if (this.#state === 'idle') this.#writeNext();
  }

  /** Writes what waits, for the end of the process. */
  flushSync(): void {
    // What a thread writes at this moment is its own matter.
    if (this.#state !== 'writing') this.#writeSync(this.#bytes);
    this.#writeSync(Buffer.from(this.#waiting));
    this.#waiting = '';
    if (this.#state === 'failed') this.#bytes = Buffer.alloc(0);
  }

  #writeNext(): void {
    if (this.#bytes.length === 0) {
      this.#bytes = Buffer.from(this.#waiting);
      this.#waiting = '';
    }
    if (this.#bytes.length === 0) {
      this.#state = 'idle';
      return;
    }
    this.#state = 'writing';
    write(this.fd, this.#bytes, (error, written) => {
      if (error === null) {
        this.#bytes = this.#bytes.subarray(written);
        this.#tellLost();
        this.#writeNext();
      } else if (error.code === 'EPIPE') {
        this.#state = 'closed';
        this.#waiting = '';
      } else {
        this.#state = 'failed';
        setTimeout(() => this.#writeNext(), AGAIN_MS).unref();
      }
    });
  }

  #tellLost(): void {
    if (this.#lost === 0) return;
    const msg = `${this.#lost} lines of this log are missing: they could not be written, as on a full disk`;
    this.#waiting += `${JSON.stringify({ level: 40, time: new Date().toISOString(), msg })}\n`;
    this.#lost = 0;
  }

  #writeSync(bytes: Buffer): void {
    for (let left = bytes, tries = 0; left.length > 0 && this.#state !== 'closed'; ) {
      try {
        left = left.subarray(writeSync(this.fd, left));
      } catch (error) {
        tries += 1;
        const isBusy = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
        if (!isBusy || tries >= LAST_TRIES) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_TRY_MS);
      }
    }
  }
}
