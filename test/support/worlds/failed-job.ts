/** A job that has failed permanently, on the way on which jobs do: it has ended its process three times by itself. */
import type { Db } from '../../../db/connection.js';
import { IMPORT_JOBS } from '../../../src/domain/imports/model/import-jobs.js';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { acceptJob } from '../../../src/domain/jobs/accept-job.js';
import { followEnd } from '../../../src/domain/jobs/follow-end.js';
import { recordFailure } from '../../../src/domain/jobs/record-failure.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import type { Shop } from '../http/shop.js';

/** In one transaction, so that no worker executes it. @returns the id of the job, which is FAILED as WORKER_DIED */
export async function failJob(db: Db, shop: Shop, rows: readonly unknown[]): Promise<string> {
  const { siteId, accountId, channel } = shop.site;
  const jobId = newId();
  const job = { id: jobId, siteId, accountId, channel, requestId: 'test' };
  const type = { jobType: IMPORT_JOBS.item, type: 'ITEM_BULK_UPSERT' } as const;
  const options = { mode: 'upsert', onError: 'skip', validateOnly: false } as const;
  const lines = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  await db.transaction(async (trx) => {
    await acceptJob(trx, { ...job, ...type, options }, { kind: 'rows', lines, rowCount: rows.length });
    for (let death = 1; death <= 3; death++) {
      await recordFailure(trx, JOB_TYPES, { jobId, dispatch: 1 }, { kind: 'death', how: 'SIGKILL' });
    }
  });
  await followEnd(db, JOB_TYPES, jobId);
  return jobId;
}
