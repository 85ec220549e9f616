/** Finds rows of one request that share a key. Files are too large for this: see source/duplicate-keys.ts. */
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import { JsonKeyFinder } from '../../formats/json/json-key-finder.js';
import type { JsonRow } from '../../formats/json/plan-jsonl.js';
import type { RowApplier } from './row-applier.js';

const LF = 0x0a;
/** Rows between two looks at the clock. */
const ROWS_PER_YIELD = 200;

/** Remembers the keys of rows that pass by. */
export class KeyTracker {
  readonly #rowsByKey = new Map<string, number | number[]>();

  constructor(readonly applier: Pick<RowApplier, 'keyOf' | 'normaliseKey' | 'winner'>) {}

  /** Passes the rows on, one by one. */
  *track(rows: Iterable<JsonRow>): Generator<JsonRow> {
    for (const row of rows) {
      this.#addKey(row.row, this.applier.keyOf(row.element));
      yield row;
    }
  }

  /**
   * Remembers the keys of lines, each a JSON value, with numbers from 1. Of those that are plainly written nothing is parsed.
   * @param field the field of an object that holds its key
   */
  async trackLines(bytes: Buffer, field: string): Promise<void> {
    const finder = new JsonKeyFinder(field);
    for (let at = 0, row = 1; at < bytes.length; row++) {
      const newline = bytes.indexOf(LF, at);
      const end = newline < 0 ? bytes.length : newline;
      if (finder.find(bytes, at, end)) this.#addKey(row, bytes.toString('utf8', finder.start, finder.end));
      else this.#addKey(row, this.applier.keyOf(JSON.parse(bytes.toString('utf8', at, end))));
      at = end + 1;
      if (row % ROWS_PER_YIELD === 0) await yieldToEventLoop();
    }
  }

  /** The rows that lose → the row that stands, of the rows that have passed. */
  superseded(): Map<number, number> {
    const superseded = new Map<number, number>();
    for (const sharing of this.#rowsByKey.values()) {
      if (typeof sharing === 'number') continue;
      const winner = this.applier.winner === 'first' ? sharing[0] : sharing.at(-1);
      for (const row of sharing) if (row !== winner && winner !== undefined) superseded.set(row, winner);
    }
    return superseded;
  }

  /** The keys of the rows that were passed on, normalised; rows without a key have none here. */
  keys(): Iterable<string> {
    return this.#rowsByKey.keys();
  }

  #addKey(row: number, raw: string | null): void {
    const key = raw === null ? '' : this.applier.normaliseKey(raw);
    if (key === '') return;
    const others = this.#rowsByKey.get(key);
    if (others === undefined) this.#rowsByKey.set(key, row);
    else if (typeof others === 'number') this.#rowsByKey.set(key, [others, row]);
    else others.push(row);
  }
}
