/** Items that were changed after the earlier job are not overwritten with its older rows. */
import type { Knex } from 'knex';
import { type LaterChange, outdatedProblem } from '../../jobs/model/superseded-rows.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import type { RowApplier } from '../model/row-applier.js';

/** What a row says about itself before it is applied. */
interface KeyedRow {
  readonly row: number;
  readonly sku: string | null;
}

/**
 * Wraps an applier so that it fails the rows of a retry whose item was changed after the earlier job had ended.
 * @param rowOf the number and the SKU of a row that was read
 */
export function refusingChanged<Row>(
  applier: RowApplier<Row[]>,
  job: Pick<ImportJob, 'site_id' | 'options'>,
  rowOf: (row: Row) => KeyedRow,
  refused: (row: Row, problem: RowProblem) => Row,
): RowApplier<Row[]> {
  const { options }: { readonly options: Partial<ImportOptions> } = job;
  const since = options.retry?.since;
  if (since === undefined) return applier;
  return {
    ...applier,
    join: undefined,
    apply: async (trx, read, context) => {
      // Later passes apply what the first one has let through. What this job writes itself changes nothing for them.
      if (context.pass.number > 0) return applier.apply(trx, read, context);
      const changed = await changedSince(
        trx,
        job.site_id,
        since,
        read.flatMap((row) => rowOf(row).sku ?? []),
      );
      for (const [index, one] of read.entries()) {
        const { row, sku } = rowOf(one);
        const change = sku === null || context.duplicates.has(row) ? undefined : changed.get(sku);
        // In place: the applier knows the rows by their array.
        if (change !== undefined) read[index] = refused(one, outdatedProblem('item', change, options.retryOf));
      }
      return applier.apply(trx, read, context);
    },
  };
}

/**
 * The items that were written at or after a time. A change of the same instant was made by a job that was executed in one
 * transaction with the earlier one.
 */
async function changedSince(
  trx: Knex.Transaction,
  siteId: number,
  since: string,
  skus: readonly string[],
): Promise<ReadonlyMap<string, LaterChange>> {
  if (skus.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: (LaterChange & { readonly sku: string })[] }>(
    `SELECT wanted.sku, changed.at, changed.how
     FROM jsonb_array_elements_text(:skus::jsonb) AS wanted (sku)
     CROSS JOIN LATERAL (
       (SELECT coalesce(rows_updated_at, updated_at) AS at, 'changed' AS how
        FROM item WHERE site_id = :siteId AND sku = wanted.sku COLLATE "C" LIMIT 1)
       UNION ALL
       (SELECT deleted_at, 'deleted' FROM deleted_item
        WHERE site_id = :siteId AND sku = wanted.sku COLLATE "C"
          AND NOT EXISTS (SELECT FROM item WHERE site_id = :siteId AND sku = wanted.sku COLLATE "C") LIMIT 1)
     ) AS changed
     WHERE changed.at >= :since::timestamptz`,
    { siteId, since, skus: JSON.stringify(skus) },
  );
  return new Map(rows.map((change) => [change.sku, change]));
}
