/**
 * A BullMQ worker that works whatever the state of the engine was when it was made. If its first connection is refused or
 * lost (Postgres refuses connections while it starts or recovers), BullMQ remembers the rejection for ever: its loop calls
 * again without a pause, and no timer, connection or signal of the process is served any more. So the loop is started when
 * the connection is there, and a worker that got none is replaced.
 */
/** Between two workers. */
const AGAIN_MS = 500;

/** Of a BullMQ worker, on any engine. */
interface Made {
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  close(force?: boolean): Promise<void>;
  cancelAllJobs(reason: string): void;
}

export class LastingWorker {
  #worker: Made;
  #next: NodeJS.Timeout | undefined;
  #isClosing = false;

  /** @param make makes a worker that does not run by itself (`autorun: false`) */
  constructor(
    readonly make: () => Made,
    readonly onError: (error: unknown) => void,
  ) {
    this.#worker = this.#begin();
  }

  /** Picks up no further job. Resolves when running jobs are done. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#next);
    await this.#worker.close();
  }

  cancelAllJobs(reason: string): void {
    this.#worker.cancelAllJobs(reason);
  }

  #begin(): Made {
    const worker = this.make();
    worker.waitUntilReady().then(
      () => this.#run(worker),
      (error) => this.#replace(worker, error),
    );
    return worker;
  }

  #run(worker: Made): void {
    if (!this.#isClosing) worker.run().catch(this.onError);
  }

  #replace(worker: Made, error: unknown): void {
    if (this.#isClosing) return;
    this.onError(error);
    worker.close(true).catch(() => undefined);
    this.#next = setTimeout(() => {
      this.#worker = this.#begin();
    }, AGAIN_MS);
  }
}
