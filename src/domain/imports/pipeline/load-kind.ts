/** Makes the ingest of a job: its definitions loaded once a process, its header resolved once a job. */
import type { Db } from '../../../../db/connection.js';
import { RecentlyUsed } from '../../../platform/concurrency/recently-used.js';
import { loadDefinitions, presentSnapshot } from '../../catalog/definition-snapshot.js';
import { attributeKind } from '../attributes/attribute-kind.js';
import { categoryKind } from '../categories/category-kind.js';
import { itemDeletionKind } from '../deletions/item-deletion-kind.js';
import type { ImportJob } from '../import-jobs.js';
import type { ImportOptions } from '../import-options.js';
import { itemKind } from '../items/item-kind.js';
import { ItemRules } from '../items/item-rules.js';
import { statusKind } from '../items/status-kind.js';
import { tellingOfItems } from '../items/tell-of-items.js';
import type { IngestKind } from './ingest-kind.js';

/** Compiled definitions kept at once: a process serves many sites, each with few versions in use. */
const KEPT_RULES = 32;
/** Categories and attributes in all that are kept, half a kilobyte each; a single site may have as many as it will. */
const KEPT_DEFINITIONS = 100_000;

const rulesByVersion = new RecentlyUsed<Promise<ItemRules>>(KEPT_RULES, KEPT_DEFINITIONS);

/**
 * @param version the definitions the job goes by
 * @param headerCells the header found by PLAN; null for JSON, and while planning
 */
export async function loadKind(
  db: Db,
  job: ImportJob,
  version: number,
  headerCells: readonly string[] | null,
): Promise<IngestKind> {
  switch (job.kind) {
    case 'attribute':
      return attributeKind(
        { siteId: job.site_id, options: job.options, fromFile: job.input_file_id !== null },
        headerCells,
      );
    case 'category':
      return categoryKind({ siteId: job.site_id, options: job.options }, headerCells);
    case 'status':
      return statusKind(job.site_id, await loadRules(db, job, await presentSnapshot(db, job.site_id), job.options));
    case 'item': {
      const { options } = job;
      if (job.type === 'ITEM_BULK_DELETE') {
        const kind = itemDeletionKind({ siteId: job.site_id, channel: job.channel });
        return options.validateOnly ? kind : tellingOfItems(kind, job, ({ sku }) => sku);
      }
      const rules = await loadRules(db, job, version, options);
      await rules.filled.refresh(db, job.site_id);
      const content = job.type === 'BUNDLE_IMPORT' ? 'bundles' : 'items';
      const kind = itemKind({ siteId: job.site_id, channel: job.channel, options, content }, rules, headerCells);
      // Of a dry run nothing stays to be told of.
      return options.validateOnly ? kind : tellingOfItems(kind, job, ({ outcome }) => outcome.draft?.sku);
    }
  }
}

function loadRules(
  db: Db,
  { account_id: accountId, site_id: siteId }: ImportJob,
  version: number,
  options: Partial<ImportOptions>,
): Promise<ItemRules> {
  const format = { decimalSeparator: options.decimalSeparator ?? ('.' as const), dateFormat: options.dateFormat };
  // Site numbers are those of one database; a process may see several, accounts are told apart everywhere.
  const key = JSON.stringify([accountId, siteId, version, format]);
  const known = rulesByVersion.get(key);
  if (known !== undefined) return known;
  const loading = loadDefinitions(db, siteId, version).then((definitions) => new ItemRules(definitions, format));
  rulesByVersion.set(key, loading);
  loading.then(
    ({ definitions: { attributes, categories } }) => rulesByVersion.weigh(key, attributes.length + categories.length),
    () => rulesByVersion.delete(key),
  );
  return loading;
}
