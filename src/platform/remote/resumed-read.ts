/**
 * Reads a file over connections that are cut: it goes on where it was if the server allows that and the file is the same,
 * and otherwise begins again and compares what it has read before. It never mixes two versions of a file.
 */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { answered, wholeCallMs } from './calls.js';
import { RemoteFailure, tooLarge } from './remote-folder.js';

/** A file that is being read. */
export interface Opening {
  /** Where its first chunk begins: where it was asked for, or 0 if the server begins again. */
  readonly from: number;
  /** The size of the whole file; null: the server does not say. */
  readonly total: number | null;
  /** Its errors are RemoteFailures. */
  readonly chunks: AsyncIterable<Buffer>;
  /** After the last chunk. @throws RemoteFailure CHANGED_WHILE_READ */
  check?(signal: AbortSignal): Promise<void>;
  /** Ends the chunks as well; harmless when it is called again. */
  close(): void;
}

export interface ReadPlan {
  readonly name: string;
  readonly maxBytes: number;
  /** How long the server may be silent. */
  readonly idleMs: number;
  /** @throws RemoteFailure CHANGED_WHILE_READ when the file is not the one that was read from at first */
  open(from: number, signal: AbortSignal): Promise<Opening>;
}

/** How often it is resumed without a new byte in between, and at all. */
const MOST_IN_A_ROW = 3;
const MOST_RESUMPTIONS = 100;
const FIRST_PAUSE_MS = 100;
const PAUSE_GROWS_BY = 4;
/** What a server has to send on average, beside the time of a call without bytes: 10 KB in a second. */
const LEAST_BYTES_PER_MS = 10;
const RESUMED: ReadonlySet<string> = new Set(['BROKEN_OFF', 'TIMED_OUT', 'UNREACHABLE']);

/** @throws RemoteFailure, and later the stream does; the reason of the signal */
export async function resumedRead(plan: ReadPlan, signal: AbortSignal): Promise<Readable> {
  const ender = new AbortController();
  // Each call that is on its way listens to it.
  setMaxListeners(0, ender.signal);
  const onAbort = () => ender.abort(signal.reason);
  const reading = new ResumedRead(plan, ender.signal);
  const end = () => {
    signal.removeEventListener('abort', onAbort);
    ender.abort();
    reading.close();
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort);
  try {
    await reading.begin();
  } catch (error) {
    end();
    throw error;
  }
  const stream = Readable.from(reading.chunks(), { objectMode: false });
  // Also where no byte of it was ever read: the connection does not wait for that.
  stream.once('close', end);
  return stream;
}

class ResumedRead {
  readonly #plan: ReadPlan;
  readonly #signal: AbortSignal;
  readonly #read = createHash('sha256');
  #opening: Opening | undefined;
  #at = 0;
  #waitedMs = 0;
  #inARow = 0;
  #resumptions = 0;

  constructor(plan: ReadPlan, signal: AbortSignal) {
    this.#plan = plan;
    this.#signal = signal;
  }

  /** Opens the file for the first time. What fails here is not tried again. */
  async begin(): Promise<void> {
    this.#opening = await this.#open();
  }

  close(): void {
    this.#opening?.close();
    this.#opening = undefined;
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      try {
        this.#opening ??= await this.#open();
        yield* this.#pass(this.#opening);
        return;
      } catch (error) {
        await this.#mayResume(error);
      } finally {
        this.close();
      }
    }
  }

  async #open(): Promise<Opening> {
    const { name, maxBytes, open } = this.#plan;
    const opening = await open(this.#at, this.#signal);
    if (opening.total === null || opening.total <= maxBytes) return opening;
    opening.close();
    throw tooLarge(name, maxBytes);
  }

  async *#pass({ from, total, chunks, check }: Opening): AsyncGenerator<Buffer> {
    const { name, maxBytes } = this.#plan;
    const iterator = chunks[Symbol.asyncIterator]();
    const again = createHash('sha256');
    let known = this.#at - from;
    for (;;) {
      const next = await this.#next(iterator);
      if (next.done === true) break;
      const repeated = next.value.subarray(0, known);
      if (repeated.length > 0) {
        again.update(repeated);
        known -= repeated.length;
        if (known === 0 && !again.digest().equals(this.#read.copy().digest())) throw changed(name);
      }
      const chunk = next.value.subarray(repeated.length);
      if (chunk.length === 0) continue;
      if (this.#at + chunk.length > maxBytes) throw tooLarge(name, maxBytes);
      this.#at += chunk.length;
      this.#inARow = 0;
      this.#read.update(chunk);
      yield chunk;
    }
    if (known > 0) throw changed(name);
    if (total !== null && this.#at < total) {
      throw new RemoteFailure('BROKEN_OFF', `the server sent ${this.#at} of the ${total} bytes of ${name}`);
    }
    await check?.(this.#signal);
  }

  /** Only the time counts in which the server is waited for: who reads may be slow. */
  async #next(iterator: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    const { name, idleMs } = this.#plan;
    const startedAt = performance.now();
    const next = await answered(`the next bytes of ${name}`, idleMs, this.#signal, () => iterator.next());
    this.#waitedMs += performance.now() - startedAt;
    if (this.#waitedMs > wholeCallMs(idleMs) + this.#at / LEAST_BYTES_PER_MS) {
      const message = `the server sends ${name} too slowly: ${this.#at} bytes in ${Math.round(this.#waitedMs / 1000)} s`;
      throw new RemoteFailure('TIMED_OUT', message);
    }
    return next;
  }

  async #mayResume(error: unknown): Promise<void> {
    if (this.#signal.aborted) throw error;
    if (!(error instanceof RemoteFailure) || !RESUMED.has(error.code) || !error.isTransient) throw error;
    const isSlow = this.#waitedMs > wholeCallMs(this.#plan.idleMs) + this.#at / LEAST_BYTES_PER_MS;
    if (isSlow || ++this.#inARow > MOST_IN_A_ROW || ++this.#resumptions > MOST_RESUMPTIONS) throw error;
    await pause(FIRST_PAUSE_MS * PAUSE_GROWS_BY ** (this.#inARow - 1), undefined, { signal: this.#signal });
  }
}

export function changed(name: string): RemoteFailure {
  const message = `${name} was changed or replaced while it was read, or since it was listed; the next run looks at it again`;
  return new RemoteFailure('CHANGED_WHILE_READ', message);
}
