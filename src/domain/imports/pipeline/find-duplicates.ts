/** Finds rows of one request that share a key. Files are too large for this: see formats/plan/duplicate-keys.ts. */
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import { parseForKey } from '../../formats/json/exact-json.js';
import { JsonKeyFinder } from '../../formats/json/json-key-finder.js';
import type { JsonRow } from '../../formats/json/json-rows.js';
import { LF } from '../../kernel/characters.js';
import type { RowApplier } from '../rows/row-applier.js';

/** How many rows are read before the thread may yield to the event loop. */
const ROWS_PER_YIELD = 200;

/** Collects the keys of the rows of one request. */
export class KeyTracker {
  readonly #rowsByKey = new Map<string, number | number[]>();

  constructor(readonly applier: Pick<RowApplier, 'keyOf' | 'normaliseKey' | 'winner'>) {}

  /** Yields the rows unchanged, and collects their keys. */
  *track(rows: Iterable<JsonRow>): Generator<JsonRow> {
    for (const row of rows) {
      this.#addKey(row.row, this.applier.keyOf(row.element));
      yield row;
    }
  }

  /** Collects the keys of lines, each a JSON value, numbered from 1. See keysOfLines. */
  async trackLines(bytes: Buffer, field: string): Promise<void> {
    let row = 0;
    for (const key of keysOfLines(bytes, field, (element) => this.applier.keyOf(element))) {
      this.#addKey(++row, key);
      if (row % ROWS_PER_YIELD === 0) await yieldToEventLoop();
    }
  }

  /** Superseded row → winning row, for all rows that were tracked. */
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

/**
 * Yields the key of each line, which is a JSON value, as it was given. Most keys are found without parsing the line.
 * @param field the field of an object that contains its key
 * @param keyOf finds the key of a value that has to be parsed
 */
export function* keysOfLines(
  bytes: Buffer,
  field: string,
  keyOf: (element: unknown) => string | null,
): Generator<string | null> {
  const finder = new JsonKeyFinder(field);
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(LF, at);
    const end = newline < 0 ? bytes.length : newline;
    if (finder.find(bytes, at, end)) yield bytes.toString('utf8', finder.start, finder.end);
    else yield keyOf(parseForKey(bytes.toString('utf8', at, end), field));
    at = end + 1;
  }
}
