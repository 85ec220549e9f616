/** Applies the rows of a chunk in one wave: all of them in the first, then those that were put off. */
import type { Knex } from 'knex';
import { type ChunkResult, OUTCOME, type Outcome } from '../../jobs/chunk-result.js';
import { applyBisecting } from './apply-bisecting.js';
import type { ApplyItems, ReadRow } from './item-batch.js';

/** @returns one outcome a row, `later` for those that the wave is not about */
export async function applyWave(
  trx: Knex.Transaction,
  rows: readonly ReadRow[],
  options: ApplyItems,
): Promise<ChunkResult> {
  const { wave } = options;
  if (wave.number === 0) return applyBisecting(trx, rows, options);
  const places = rows.flatMap((_, index) => (wave.before[index] === OUTCOME.later ? [index] : []));
  const waiting = places.flatMap((index) => rows[index] ?? []);
  const { outcomes, failures } = await applyBisecting(trx, waiting, options);
  const all: Outcome[] = new Array(rows.length).fill(OUTCOME.later);
  places.forEach((index, nth) => {
    all[index] = outcomes[nth] ?? OUTCOME.later;
  });
  return { outcomes: all, failures };
}
