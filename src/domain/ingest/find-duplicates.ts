/** Finds rows of one request that share a key. Files are too large for this: see source/duplicate-keys.ts. */
import type { IngestKind } from './ingest-kind.js';
import type { JsonRow } from './source/parse-jsonl-chunk.js';

/** Remembers the keys of rows that pass by. */
export class KeyTracker {
  readonly #rowsByKey = new Map<string, number | number[]>();

  constructor(readonly kind: Pick<IngestKind, 'keyOf' | 'normaliseKey' | 'standing'>) {}

  /** Passes the rows on, one by one. */
  *track(rows: Iterable<JsonRow>): Generator<JsonRow> {
    for (const row of rows) {
      this.#add(row);
      yield row;
    }
  }

  /** The rows that lose → the row that stands, of the rows that have passed. */
  losers(): Map<number, number> {
    const losers = new Map<number, number>();
    for (const sharing of this.#rowsByKey.values()) {
      if (typeof sharing === 'number') continue;
      const standing = this.kind.standing === 'first' ? sharing[0] : sharing.at(-1);
      for (const row of sharing) if (row !== standing && standing !== undefined) losers.set(row, standing);
    }
    return losers;
  }

  #add({ row, element }: JsonRow): void {
    const raw = this.kind.keyOf(element);
    const key = raw === null ? '' : this.kind.normaliseKey(raw);
    if (key === '') return;
    const others = this.#rowsByKey.get(key);
    if (others === undefined) this.#rowsByKey.set(key, row);
    else if (typeof others === 'number') this.#rowsByKey.set(key, [others, row]);
    else others.push(row);
  }
}
