/** Creates the row applier of a job. A process caches compiled definitions; the header is resolved for each applier. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { RecentlyUsed } from '../../../platform/concurrency/recently-used.js';
import { loadDefinitions, presentSnapshot } from '../../catalog/definition-snapshot.js';
import type { SiteDefinitions } from '../../catalog/site-definitions.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { type LaterChange, outdatedProblem } from '../../kernel/superseded-rows.js';
import { attributeApplier } from '../attributes/attribute-applier.js';
import { attributeCellNotes } from '../attributes/note-attribute-cells.js';
import { categoryApplier } from '../categories/category-applier.js';
import { itemDeletionApplier, type ReadDeletion } from '../deletions/item-deletion-applier.js';
import type { ImportJob } from '../import-jobs.js';
import type { ImportOptions } from '../import-options.js';
import { emittingItemEvents } from '../items/emit-item-events.js';
import { itemApplier } from '../items/item-applier.js';
import type { ReadRow } from '../items/item-batch.js';
import { ItemRules } from '../items/item-rules.js';
import { statusApplier } from '../items/status-applier.js';
import { notingRows } from './noting-rows.js';
import type { RowApplier } from './row-applier.js';

/** How many compiled definitions are cached: small jobs of many sites alternate, each with few versions in use. */
const KEPT_RULES = 2_000;
/** How many categories and attributes the cache holds in total, about half a kilobyte each; one site may exceed it. */
const KEPT_DEFINITIONS = 100_000;

/** Compiled rules; a promise of them is for callers without a transaction only. */
const rulesByVersion = new RecentlyUsed<ItemRules | Promise<ItemRules>>(KEPT_RULES, KEPT_DEFINITIONS);

/**
 * @param version the version of the definitions that the job uses
 * @param headerCells the header found by the plan step; null for JSON, and while planning
 */
export async function loadApplier(
  db: Db,
  job: ImportJob,
  version: number,
  headerCells: readonly string[] | null,
): Promise<RowApplier> {
  switch (job.kind) {
    case 'attribute':
      return notingRows(
        attributeApplier(
          { siteId: job.site_id, options: job.options, fromFile: job.input_file_id !== null },
          headerCells,
        ),
        headerCells,
        attributeCellNotes(headerCells, job.options.decimalSeparator),
      );
    case 'category':
      return notingRows(categoryApplier({ siteId: job.site_id, options: job.options }, headerCells), headerCells);
    case 'status':
      return statusApplier(job.site_id, await loadRules(db, job, await presentSnapshot(db, job.site_id), job.options));
    case 'item': {
      const { options } = job;
      if (job.type === 'ITEM_BULK_DELETE') {
        const deleting = itemDeletionApplier({ siteId: job.site_id, channel: job.channel });
        const applier = refusingChanged(deleting, job, keyOfDeletion, refusedDeletion);
        return options.validateOnly ? applier : emittingItemEvents(applier, job, ({ sku }) => sku);
      }
      const rules = await loadRules(db, job, version, options);
      await rules.filled.refresh(db, job.site_id);
      const content = job.type === 'BUNDLE_IMPORT' ? 'bundles' : 'items';
      const own = { siteId: job.site_id, channel: job.channel, options, content } as const;
      const applier = refusingChanged(itemApplier(own, rules, headerCells), job, keyOfItem, refusedItem);
      // A dry run keeps nothing, so that it emits no events.
      return options.validateOnly ? applier : emittingItemEvents(applier, job, ({ outcome }) => outcome.draft?.sku);
    }
  }
}

// Items that were changed after the earlier job are not overwritten with its older rows.

/** What a row says about itself before it is applied. */
interface KeyedRow {
  readonly row: number;
  readonly sku: string | null;
}

/**
 * Wraps an applier so that it fails the rows of a retry whose item was changed after the earlier job had ended.
 * @param rowOf the number and the SKU of a row that was read
 */
function refusingChanged<Row>(
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

function keyOfItem({ row, outcome }: ReadRow) {
  return { row, sku: outcome.draft?.sku ?? null };
}

function refusedItem({ row, outcome }: ReadRow, problem: RowProblem): ReadRow {
  return { row, outcome: { draft: null, problems: [problem], key: outcome.key, rest: null } };
}

function keyOfDeletion({ row, sku }: ReadDeletion) {
  return { row, sku: sku === '' ? null : sku };
}

function refusedDeletion(row: ReadDeletion, refused: RowProblem): ReadDeletion {
  return { ...row, refused };
}

async function loadRules(
  db: Db,
  { account_id: accountId, site_id: siteId }: ImportJob,
  version: number,
  options: Partial<ImportOptions>,
): Promise<ItemRules> {
  const format = { decimalSeparator: options.decimalSeparator ?? ('.' as const), dateFormat: options.dateFormat };
  // A process may use several databases, as tests do: site ids repeat among them, account ids do not.
  const key = JSON.stringify([accountId, siteId, version, format]);
  const known = rulesByVersion.get(key);
  const inTransaction = db.isTransaction === true;
  // A transaction that waited for what another one loads would be a deadlock that Postgres does not see.
  if (known !== undefined && !(inTransaction && known instanceof Promise)) return known;
  const loading = loadDefinitions(db, siteId, version).then((definitions) => new ItemRules(definitions, format));
  if (!inTransaction) {
    rulesByVersion.set(key, loading);
    loading.catch(() => rulesByVersion.delete(key));
  }
  const rules = await loading;
  rulesByVersion.set(key, rules);
  rulesByVersion.weigh(key, weightOf(rules.definitions));
  return rules;
}

/** Options that take as much memory as an attribute without any. */
const OPTIONS_AN_ATTRIBUTE = 4;

function weightOf({ attributes, categories }: SiteDefinitions): number {
  const options = attributes.reduce(
    (sum, { options: own, validation }) => sum + (own?.length ?? 0) + (validation.oneOf?.length ?? 0),
    0,
  );
  return attributes.length + categories.length + options / OPTIONS_AN_ATTRIBUTE;
}
