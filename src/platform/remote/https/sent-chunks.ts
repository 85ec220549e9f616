/** The chunks of a file while they are sent: the server may be silent for so long at each of them, and at its answer. */
import type { Readable } from 'node:stream';
import { RemoteFailure } from '../remote-folder.js';

/** A file that is sent with a request. */
export interface SentBody {
  readonly source: Readable;
  /** How many they are; null: the end of the source says so. */
  readonly bytes: number | null;
  /** How long the server may take to answer once it has all of them. */
  readonly answerMs: number;
}

export class SentChunks {
  readonly #body: SentBody;
  readonly #idleMs: number;
  readonly #signal: AbortSignal;
  readonly #ender = new AbortController();
  readonly #onAbort = () => this.#ender.abort(this.#signal.reason);
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;
  #hasEnded = false;
  #isOver = false;
  #failure: unknown;

  constructor(body: SentBody, idleMs: number, signal: AbortSignal) {
    signal.throwIfAborted();
    this.#body = body;
    this.#idleMs = idleMs;
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort);
    this.#wait(idleMs, 'a connection');
  }

  /** Ends when the server is silent for too long, and with the signal that was given. */
  get signal(): AbortSignal {
    return this.#ender.signal;
  }

  /** Whether the server has been given all of them. It may answer before the source has said that there are no more. */
  get isSent(): boolean {
    return this.#body.bytes === null ? this.#hasEnded : this.#bytes >= this.#body.bytes;
  }

  /** Why they ended before; undefined: the connection or the server did. */
  get failure(): unknown {
    return this.#failure;
  }

  /** What is sent. */
  async *chunks(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.#body.source as AsyncIterable<Buffer>) {
        this.#bytes += chunk.length;
        if (this.isSent) this.#waitForAnswer();
        else this.#wait(this.#idleMs, 'the rest of the file was not taken');
        yield chunk;
        // While a chunk is read from the source, nobody waits for the server.
        clearTimeout(this.#timer);
      }
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
    this.#hasEnded = true;
    this.#waitForAnswer();
  }

  /** The server has answered, or there is no connection any more. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }

  #waitForAnswer(): void {
    this.#wait(this.#body.answerMs, 'the whole file was sent');
  }

  #wait(ms: number, what: string): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#timer = setTimeout(() => {
      this.#failure ??= new RemoteFailure('TIMED_OUT', `the server did not answer within ${ms / 1000} s: ${what}`);
      this.#ender.abort(this.#failure);
    }, ms);
  }
}
