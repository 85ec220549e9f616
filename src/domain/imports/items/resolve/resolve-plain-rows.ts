/** Rows that refer to no others, of sites without unique values: each is resolved by itself. */
import type { Knex } from 'knex';
import { fromInTurns } from '../../../../platform/time-slice.js';
import { decidePlain } from './decide-plain.js';
import { findItems, type SiteDrafts } from './found-items.js';
import type { Resolution } from './resolved-row.js';

/**
 * @param sites in the order of their ids
 * @param readFirst false when the keys are assumed to be new
 * @returns the rows of each site, in order
 */
export async function resolvePlainRows(
  trx: Knex.Transaction,
  sites: readonly SiteDrafts[],
  readFirst: boolean,
): Promise<readonly Resolution[]> {
  const resolved: Resolution[] = [];
  for (const [nth, found] of (await findItems(trx, sites, readFirst)).entries()) {
    const { drafts, options } = sites[nth] as SiteDrafts;
    const rows = await fromInTurns(drafts, (draft) => ({ draft, decision: decidePlain(draft, found, options) }));
    resolved.push({ rows });
  }
  return resolved;
}
