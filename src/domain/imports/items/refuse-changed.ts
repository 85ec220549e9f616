/** Items that were changed after the earlier job are not overwritten with its older rows. */
import type { Knex } from 'knex';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import { type LaterChange, outdatedProblem } from '../pipeline/superseded-rows.js';
import type { RowApplier } from '../rows/row-applier.js';

/** How the rows of an applier name their items, and how one of them is refused. */
export interface ReadAccess<Read, Row> {
  readonly rowsOf: (read: Read) => readonly Row[];
  readonly withRows: (read: Read, rows: Row[]) => Read;
  readonly skuOf: (row: Row) => string | null;
  readonly refused: (row: Row, problem: RowProblem) => Row;
}

/** Wraps an applier so that it fails the rows of a retry whose item was changed after the earlier job had ended. */
export function refusingChanged<Read, Row extends { readonly row: number }, Part>(
  applier: RowApplier<Read, Part>,
  job: Pick<ImportJob, 'site_id' | 'options'>,
  { rowsOf, withRows, skuOf, refused }: ReadAccess<Read, Row>,
): RowApplier<Read, Part> {
  const { options }: { readonly options: Partial<ImportOptions> } = job;
  const since = options.retry?.since;
  if (since === undefined) return applier;
  return {
    ...applier,
    join: undefined,
    apply: async (trx, read, context) => {
      // Later passes apply what the first one has let through. What this job writes itself changes nothing for them.
      if (context.pass.number > 0) return applier.apply(trx, read, context);
      const rows = rowsOf(read);
      const changed = await changedSince(
        trx,
        job.site_id,
        since,
        rows.flatMap((row) => skuOf(row) ?? []),
      );
      const checked = rows.map((row) => {
        const sku = skuOf(row);
        const change = sku === null || context.duplicates.has(row.row) ? undefined : changed.get(sku);
        return change === undefined ? row : refused(row, outdatedProblem('item', change, options.retryOf));
      });
      return applier.apply(trx, withRows(read, checked), context);
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
