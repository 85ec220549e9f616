/** Any number of sites that have the attributes and categories of the shop, and one job behind them. */
import type { ApiClient } from './api-client.js';
import { FIRST_STAGE } from './api-client.js';
import { copySites } from './copy-sites.js';
import { fillSite } from './fill-site.js';
import { INSERT_PATH, insertBody } from './small-jobs.js';
import type { World } from './start-world.js';

export interface ShopSite {
  readonly id: number;
  readonly client: ApiClient;
}

/**
 * Fills the first site over HTTP, and copies it.
 * @param client whose connections all of them use
 * @returns the copies; the items that the first site now has are the caller's to remove
 */
export async function openShopSites(
  { db }: Pick<World, 'db'>,
  client: ApiClient,
  { prefix, count }: { readonly prefix: string; readonly count: number },
): Promise<ShopSite[]> {
  await fillSite(client);
  // The definitions that jobs go by are kept when the first job begins.
  const { jobId } = await client.postText<{ jobId: string }>(INSERT_PATH, insertBody(0));
  await client.jobEnd(jobId);
  const copies = await copySites(db, { account: client.account, from: FIRST_STAGE, prefix, count });
  return copies.map(({ id, stage }) => ({ id, client: client.atStage(stage) }));
}
