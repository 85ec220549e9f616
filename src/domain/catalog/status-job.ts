/** The type of job that has the status of items follow their category's mandatory attributes: there may be a million of them. */
import { z } from 'zod';
import type { Db } from '../../../db/connection.js';
import { acceptUnplacedJob } from '../jobs/accept-job.js';
import { defineJobType } from '../jobs/job-type.js';
import { newId } from '../kernel/identifier.js';

const OPTIONS = { mode: 'upsert', onError: 'skip', validateOnly: false } as const;

/** Its rows are categories `{nodeId}`, and nothing of it is asked for by clients: it is carried out like an import. */
export const STATUS_JOB = defineJobType({
  kind: 'status',
  names: ['ITEM_STATUS_UPDATE'],
  options: z.object({
    mode: z.literal(OPTIONS.mode),
    onError: z.literal(OPTIONS.onError),
    validateOnly: z.literal(OPTIONS.validateOnly),
  }),
  plan: z.never(),
  steps: ['plan'],
  definitions: 'present',
  isConcurrent: () => false,
  rowNaming: 'place',
  result: 'categories',
});

/**
 * Records a job within the transaction that changes what items of the categories have to have. It gets its place in
 * the site's order by placeUnplacedJobs: by the end of the job that this transaction belongs to, or by the request that
 * has committed it. None is made where none of the categories, or of those below them, has ever held an item.
 */
export async function scheduleStatusJob(trx: Db, siteId: number, nodeIds: readonly number[]): Promise<void> {
  if (nodeIds.length === 0 || !(await mayHoldItems(trx, siteId, nodeIds))) return;
  const { account_id: accountId } = await trx('site').where({ id: siteId }).first('account_id');
  const lines = Buffer.from(nodeIds.map((nodeId) => JSON.stringify({ nodeId })).join('\n'));
  const identity = { id: newId(), siteId, accountId, channel: null, requestId: null };
  const job = { ...identity, jobType: STATUS_JOB, type: 'ITEM_STATUS_UPDATE', options: OPTIONS } as const;
  await acceptUnplacedJob(trx, job, { lines, rowCount: nodeIds.length });
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
