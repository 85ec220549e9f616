/**
 * The job type that updates the status of items when the mandatory attributes of their category change. It is a job
 * because there may be a million items.
 */
import type { Knex } from 'knex';
import { z } from 'zod';
import { defineJobType } from '../job-model/job-type.js';
import { acceptJob } from '../jobs/accept-job.js';
import { newId } from '../kernel/identifier.js';

const OPTIONS = { mode: 'upsert', onError: 'skip', validateOnly: false } as const;

/** Its rows are categories `{nodeId}`. Clients cannot request it; it is executed like an import. */
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
 * Records a job in the transaction that changes which attributes are mandatory for items of the categories.
 * placeUnplacedJobs gives it a position in the site's ordering queue: at the end of the job that this transaction
 * belongs to, or in the request that has committed it. No job is recorded when neither the categories nor those below
 * them have ever held an item, and no job that has begun may still put one there by the definitions before the change.
 */
export async function scheduleStatusJob(
  trx: Knex.Transaction,
  siteId: number,
  nodeIds: readonly number[],
): Promise<void> {
  if (nodeIds.length === 0 || !(await mayHoldItems(trx, siteId, nodeIds))) return;
  const { account_id: accountId } = await trx('site').where({ id: siteId }).first('account_id');
  const lines = Buffer.from(nodeIds.map((nodeId) => JSON.stringify({ nodeId })).join('\n'));
  const identity = { id: newId(), siteId, accountId, channel: null, requestId: null };
  const job = { ...identity, jobType: STATUS_JOB, type: 'ITEM_STATUS_UPDATE', options: OPTIONS } as const;
  await acceptJob(trx, job, { kind: 'unplaced-rows', lines, rowCount: nodeIds.length });
}

async function mayHoldItems(trx: Knex.Transaction, siteId: number, nodeIds: readonly number[]): Promise<boolean> {
  const result = await trx.raw(
    `SELECT EXISTS (
       SELECT 1 FROM category AS top
       JOIN category AS leaf ON leaf.site_id = top.site_id AND starts_with(leaf.path, top.path)
       JOIN filled_category AS filled ON filled.site_id = leaf.site_id AND filled.node_id = leaf.node_id
       WHERE top.site_id = ? AND top.tree = 'PRIMARY' AND top.node_id = ANY (?)
     ) OR EXISTS (
       SELECT 1 FROM job WHERE site_id = ? AND completed_at IS NULL AND started_at IS NOT NULL AND kind = 'item') AS found`,
    [siteId, [...nodeIds], siteId],
  );
  return result.rows[0].found;
}
