/** One answer per Idempotency-Key: the key's row is the first thing a piece of work writes, in the work's own transaction. */

/** A request that carries an Idempotency-Key. */
export interface IdempotentRequest {
  readonly accountId: string;
  readonly key: string;
  /** SHA-256 over method, path, query, site context and body. */
  readonly fingerprint: Buffer;
}

/** What the first request with a key was told. */
export interface StoredAnswer {
  readonly status: number;
  /** Survives JSON. */
  readonly body: unknown;
  readonly jobId: string | null;
}
