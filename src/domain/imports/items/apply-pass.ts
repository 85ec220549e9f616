/** Applies the rows of a chunk in one pass: all rows in the first pass, then the deferred rows. */
import type { Knex } from 'knex';
import { OUTCOME, type Outcome } from '../../outcomes/model/chunk-result.js';
import type { AppliedRows } from '../rows/row-applier.js';
import { applyBisecting } from './apply-bisecting.js';
import { applyInParts } from './apply-in-parts.js';
import type { ApplyItems, ReadRow } from './item-batch.js';

/** @returns one outcome for each row; `deferred` for the rows that the pass leaves alone */
export async function applyPass(
  trx: Knex.Transaction,
  rows: readonly ReadRow[],
  options: ApplyItems,
): Promise<AppliedRows> {
  const { pass } = options;
  if (pass.number === 0) return applyInParts(trx, rows, options);
  const indexes = rows.flatMap((_, index) => (pass.before[index] === OUTCOME.deferred ? [index] : []));
  const waiting = indexes.flatMap((index) => rows[index] ?? []);
  const apply = options.inParts ? applyInParts : applyBisecting;
  const { outcomes, failures, changes } = await apply(trx, waiting, options);
  const all: Outcome[] = new Array(rows.length).fill(OUTCOME.deferred);
  indexes.forEach((index, nth) => {
    all[index] = outcomes[nth] ?? OUTCOME.deferred;
  });
  return { outcomes: all, failures, changes };
}
