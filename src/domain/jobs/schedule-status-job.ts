/** Has the status of items follow their category's mandatory attributes, by a job: there may be a million of them. */
import type { Db } from '../../../db/connection.js';
import { newId } from '../kernel/identifier.js';
import { acceptInlineJob } from './accept-job.js';

const OPTIONS = { mode: 'upsert', onError: 'skip', validateOnly: false } as const;

/**
 * Puts a job in the site's line, within the transaction that changes what items of the categories have to have. It is
 * taken up by whoever leaves the line, or by the next look at what is parked: a second later. None is made where none
 * of the categories, or of those below them, has ever held an item.
 */
export async function scheduleStatusJob(trx: Db, siteId: number, nodeIds: readonly number[]): Promise<void> {
  if (nodeIds.length === 0 || !(await mayHoldItems(trx, siteId, nodeIds))) return;
  const { account_id: accountId } = await trx('site').where({ id: siteId }).first('account_id');
  const lines = Buffer.from(nodeIds.map((nodeId) => JSON.stringify({ nodeId })).join('\n'));
  const identity = { id: newId(), siteId, accountId, channel: null, requestId: '' };
  const job = { ...identity, type: 'ITEM_STATUS_UPDATE', kind: 'status', options: OPTIONS } as const;
  await acceptInlineJob(trx, job, { lines, rowCount: nodeIds.length });
  await trx('job').where({ id: job.id }).update({ dispatched_at: null, request_id: null });
}

async function mayHoldItems(trx: Db, siteId: number, nodeIds: readonly number[]): Promise<boolean> {
  const result = await trx.raw(
    `SELECT EXISTS (
       SELECT 1 FROM category AS top
       JOIN category AS leaf ON leaf.site_id = top.site_id AND starts_with(leaf.path, top.path)
       JOIN filled_category AS note ON note.site_id = leaf.site_id AND note.node_id = leaf.node_id
       WHERE top.site_id = ? AND top.tree = 'PRIMARY' AND top.node_id = ANY (?)) AS found`,
    [siteId, [...nodeIds]],
  );
  return result.rows[0].found;
}
