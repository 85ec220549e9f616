/** The version of a site's definitions: every change of an attribute, mapping, category or assignment increments it. */
import type { Knex } from 'knex';

/**
 * Increments the version and returns it. Call it (or lockDefinitions) FIRST in the transaction of a change, before its
 * checks: the row lock, held until the transaction ends, makes a site's definition changes run one after another, and
 * makes a job that begins meanwhile wait and see the change (see definition-snapshot.ts).
 * @throws Error when there is no such site
 */
export async function bumpDefinitions(trx: Knex.Transaction, siteId: number): Promise<number> {
  const rows = await trx('site')
    .where({ id: siteId })
    .update({ definitions_version: trx.raw('definitions_version + 1') })
    .returning<{ definitions_version: number }[]>('definitions_version');
  const version = rows[0]?.definitions_version;
  if (version === undefined) throw new Error(`site ${siteId} does not exist`);
  return version;
}

/**
 * Takes the same lock without incrementing the version: for a change that may turn out to affect no job.
 * @throws Error when there is no such site
 */
export async function lockDefinitions(trx: Knex.Transaction, siteId: number): Promise<void> {
  const site = await trx('site').where({ id: siteId }).forNoKeyUpdate().first('id');
  if (site === undefined) throw new Error(`site ${siteId} does not exist`);
}
