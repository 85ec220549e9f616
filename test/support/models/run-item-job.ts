/** Carries out random jobs of items, as clients would. */
import assert from 'node:assert/strict';
import type { Db } from '../../../db/connection.js';
import type { Shop } from '../http/shop.js';
import { type Deletion, elementsOf, fileOf, type ItemJob } from './item-jobs.js';

const NO_WAIT = { headers: { prefer: 'wait=0' } };

/** Deletes all items of the site, and what is known of their changes. */
export async function emptySite(db: Db, { siteId }: Shop): Promise<void> {
  for (const table of ['item', 'bundle_item', 'item_unique_value', 'category_item', 'change_set', 'item_change']) {
    await db(table).where({ site_id: siteId }).delete();
  }
}

/** Waits for the end of the job. @returns its id */
export async function carryOut(shop: Shop, job: ItemJob | Deletion): Promise<string> {
  const id = await sendJob(shop, job);
  await shop.outcome(id);
  return id;
}

/**
 * @param requireApproval whether the job waits for an approval
 * @param snapshot if the rows are the whole truth: about what
 * @returns its id
 */
export async function sendJob(
  shop: Shop,
  job: ItemJob | Deletion,
  requireApproval = false,
  snapshot: object | null = null,
): Promise<string> {
  const { onError, validateOnly } = job;
  const context = job.channel === null ? {} : { channel: job.channel };
  const whole = snapshot === null ? '' : `&snapshot=${encodeURIComponent(JSON.stringify(snapshot))}`;
  const query = `onError=${onError}&${requireApproval ? 'requireApproval=true' : `validateOnly=${validateOnly}`}${whole}`;
  const accepted = ({ status, body }: Awaited<ReturnType<Shop['call']>>): string => {
    assert.equal(status, 202, JSON.stringify(body));
    return body.jobId;
  };
  if ('skus' in job) {
    const path = `/api-product/v1/product/bulk/delete?${query}`;
    return accepted(await shop.call('POST', path, { body: { skus: job.skus }, ...NO_WAIT, context }));
  }
  if (job.form === 'bulk') return accepted(await shop.bulk(job.mode, elementsOf(job), { ...NO_WAIT, query, context }));
  const { name, content } = await fileOf(job);
  const options = { ...(requireApproval ? { requireApproval } : { validateOnly }), ...(snapshot ? { snapshot } : {}) };
  return shop.upload(name, content, { mode: job.mode, onError, ...options }, { type: job.content, context });
}
