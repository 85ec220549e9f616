/** Loads the rules of a site's items; a process caches those that it has compiled. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { RecentlyUsed } from '../../../platform/concurrency/recently-used.js';
import { loadDefinitions } from '../../catalog/definition-snapshot.js';
import type { SiteDefinitions } from '../../catalog/site-definitions.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import { ItemRules } from './item-rules.js';

/** How many compiled definitions are cached: small jobs of many sites alternate, each with few versions in use. */
const KEPT_RULES = 2_000;
/** How many categories and attributes the cache holds in total, about half a kilobyte each; one site may exceed it. */
const KEPT_DEFINITIONS = 100_000;

/** Compiled rules; a promise of them is for callers without a transaction only. */
const rulesByVersion = new RecentlyUsed<ItemRules | Promise<ItemRules>>(KEPT_RULES, KEPT_DEFINITIONS);

export async function loadRules(
  db: Db,
  { account_id: accountId, site_id: siteId, kind }: ImportJob,
  version: number,
  options: Partial<ImportOptions>,
): Promise<ItemRules> {
  const format = { decimalSeparator: options.decimalSeparator ?? ('.' as const), dateFormat: options.dateFormat };
  // A process may use several databases, as tests do: site ids repeat among them, account ids do not.
  const key = JSON.stringify([accountId, siteId, version, format]);
  const inTransaction = db.isTransaction === true;
  // Definitions that the job has created in this transaction may be undone, and others get their version.
  if (inTransaction && (options.missing !== undefined || kind === 'site')) {
    return new ItemRules(await loadDefinitions(db, siteId, version), format);
  }
  const known = rulesByVersion.get(key);
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

/** The rules by definitions that the caller has changed in its transaction, which may be undone: they are not cached. */
export async function rulesWithin(trx: Knex.Transaction, siteId: number, version: number): Promise<ItemRules> {
  const format = { decimalSeparator: '.', dateFormat: undefined } as const;
  return new ItemRules(await loadDefinitions(trx, siteId, version), format);
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
