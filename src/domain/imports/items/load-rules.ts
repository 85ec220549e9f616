/** Loads the rules of a site's items; a process caches those that it has compiled. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { loadDefinitions } from '../../catalog/definition-snapshot.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import { ItemRules } from './item-rules.js';
import { bytesOfRules, KeptRules } from './kept-rules.js';

/** Compiled rules; a promise of them is for callers without a transaction only. */
const kept = new KeptRules<ItemRules | Promise<ItemRules>>();

export async function loadRules(
  db: Db,
  { account_id: accountId, site_id: siteId, kind }: ImportJob,
  version: number,
  options: Partial<ImportOptions>,
): Promise<ItemRules> {
  const format = { decimalSeparator: options.decimalSeparator ?? ('.' as const), dateFormat: options.dateFormat };
  // A process may use several databases, as tests do: site ids repeat among them, account ids do not.
  const site = JSON.stringify([accountId, siteId, format]);
  const inTransaction = db.isTransaction === true;
  // Definitions that the job has created in this transaction may be undone, and others get their version.
  if (inTransaction && (options.missing !== undefined || kind === 'site')) {
    return new ItemRules(await loadDefinitions(db, siteId, version), format);
  }
  const known = kept.get(site, version);
  // A transaction that waited for what another one loads would be a deadlock that Postgres does not see.
  if (known !== undefined && !(inTransaction && known instanceof Promise)) return known;
  const loading = loadDefinitions(db, siteId, version).then((definitions) => new ItemRules(definitions, format));
  if (!inTransaction) {
    kept.keep(site, version, loading, 0);
    loading.catch(() => kept.forget(site, version));
  }
  const rules = await loading;
  kept.keep(site, version, rules, bytesOfRules(rules.definitions));
  return rules;
}

/** The rules by definitions that the caller has changed in its transaction, which may be undone: they are not cached. */
export async function rulesWithin(trx: Knex.Transaction, siteId: number, version: number): Promise<ItemRules> {
  const format = { decimalSeparator: '.', dateFormat: undefined } as const;
  return new ItemRules(await loadDefinitions(trx, siteId, version), format);
}
