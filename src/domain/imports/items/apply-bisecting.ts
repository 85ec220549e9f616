/** The last safeguard: when Postgres rejects a value that all checks accepted, only the row of that value fails. */
import type { Knex } from 'knex';
import { joinedChanges } from '../../changes/model/item-change.js';
import { storable } from '../../kernel/characters.js';
import { type ChunkResult, OUTCOME } from '../../outcomes/model/chunk-result.js';
import type { AppliedRows } from '../rows/row-applier.js';
import { applyItemRows } from './apply-item-rows.js';
import type { ApplyItems, ReadRow } from './item-batch.js';
import { BEFORE_ROWS } from './write/write-items.js';

/** SQLSTATE classes of data exceptions, and of program limits (such as a document that is too large). */
const DATA_ERROR = /^(22|54)/;

/** Like applyItemRows, but, when guarded, halves the rows after a data error until only the faulty row is left. */
export async function applyBisecting(
  trx: Knex.Transaction,
  rows: readonly ReadRow[],
  options: ApplyItems,
): Promise<AppliedRows> {
  if (!options.guarded) return applyItemRows(trx, rows, options);
  await trx.raw(`SAVEPOINT ${BEFORE_ROWS}`);
  try {
    return await applyItemRows(trx, rows, options);
  } catch (error) {
    if (!DATA_ERROR.test((error as { code?: string }).code ?? '')) throw error;
    await trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_ROWS}`);
    const [only] = rows;
    if (rows.length === 1 && only !== undefined) return refused(only, error as Error);
    const middle = Math.ceil(rows.length / 2);
    const first = await applyBisecting(trx, rows.slice(0, middle), options);
    const second = await applyBisecting(trx, rows.slice(middle), options);
    return {
      outcomes: [...first.outcomes, ...second.outcomes],
      failures: [...first.failures, ...second.failures],
      changes: joinedChanges([first.changes, second.changes]),
    };
  }
}

function refused({ row, outcome }: ReadRow, error: Error): ChunkResult {
  const message = `the database refused the row: ${storable(error.message, 300)}; correct its values`;
  return {
    outcomes: [OUTCOME.failed],
    failures: [{ row, key: outcome.key, problems: [{ code: 'INVALID_TEXT', column: null, message }] }],
  };
}
