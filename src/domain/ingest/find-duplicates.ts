/** Finds rows of one request that share a key. Files are too large for this: see source/duplicate-keys.ts. */
import type { IngestKind } from './ingest-kind.js';
import type { JsonRow } from './source/parse-jsonl-chunk.js';

/** @returns the rows that lose → the row that stands */
export function findDuplicates(
  rows: readonly JsonRow[],
  kind: Pick<IngestKind, 'keyOf' | 'normaliseKey' | 'standing'>,
): Map<number, number> {
  const rowsByKey = new Map<string, number[]>();
  const repeated = new Set<string>();
  for (const { row, element } of rows) {
    const raw = kind.keyOf(element);
    const key = raw === null ? '' : kind.normaliseKey(raw);
    if (key === '') continue;
    const others = rowsByKey.get(key);
    if (others === undefined) {
      rowsByKey.set(key, [row]);
    } else {
      others.push(row);
      repeated.add(key);
    }
  }
  const losers = new Map<number, number>();
  for (const key of repeated) {
    const sharing = rowsByKey.get(key) ?? [];
    const standing = kind.standing === 'first' ? sharing[0] : sharing.at(-1);
    for (const row of sharing) if (row !== standing && standing !== undefined) losers.set(row, standing);
  }
  return losers;
}
