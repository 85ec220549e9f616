/** Accepting a request, and looking at what became of it. */

import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { findAnswer, runOnce } from '../../../src/domain/access/accept-once.js';
import { createAuthenticator } from '../../../src/domain/access/authenticate.js';
import { resolveSite } from '../../../src/domain/access/resolve-site.js';
import { IMPORT_JOBS } from '../../../src/domain/imports/model/import-jobs.js';
import { acceptJob, acceptJobs, recordedJob, scheduleFileJob } from '../../../src/domain/jobs/accept-job.js';
import { findJob } from '../../../src/domain/jobs/read-job.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import type { Laid } from '../../support/worlds/plans/laid-ids.js';
import { laidId } from '../../support/worlds/plans/laid-ids.js';
import type { HotWork } from './hot-work.js';
import { accountOf, BUSY_SITE } from './hot-work.js';

export const ACCEPTING: readonly HotWork[] = [
  { does: 'looks a token up', within: 6, run: (trx) => createAuthenticator(trx).authenticate('token 1') },
  {
    does: 'looks a session up',
    within: 10,
    run: (trx) => createAuthenticator(trx).authenticate('session 1', undefined, 'session'),
  },
  { does: 'finds a site', within: 6, run: (trx, laid) => resolveSite(trx, accountOf(laid, 1), 'production') },
  { does: 'takes an idempotency key', within: 20, run: (trx, laid) => runOnce(trx, request(laid, 'new'), answer) },
  { does: 'answers a request again', within: 8, run: (trx, laid) => runOnce(trx, request(laid, 'key 7'), answer) },
  {
    does: 'looks for an answer before a request takes its turn',
    within: 8,
    run: (trx, laid) => findAnswer(trx, request(laid, 'key 7')),
  },
  { does: 'accepts rows', within: 100, run: acceptRows },
  { does: 'accepts rows of ten requests for five sites', within: 500, withinDead: 3_000, run: acceptRowsTogether },
  { does: 'accepts a file, and its upload', within: 60, run: acceptFile },
  { does: 'looks at a job that runs', within: 115, run: (trx, laid) => findJob(trx, 1, laidId(laid, 'applying', 1)) },
];

const answer = async () => ({ status: 202, body: {}, jobId: null });

function request(laid: Laid, key: string) {
  const fingerprint = key === 'new' ? createHash('sha256').update(key).digest() : Buffer.from([0]);
  return { accountId: accountOf(laid, BUSY_SITE), key, fingerprint };
}

const OPTIONS = { mode: 'upsert', onError: 'skip', validateOnly: false } as const;

function newJob(laid: Laid, siteId: number = BUSY_SITE) {
  const owner = { siteId, accountId: accountOf(laid, siteId), channel: null, requestId: 'test' };
  return { id: newId(), ...owner, jobType: IMPORT_JOBS.item, type: 'ITEM_BULK_UPSERT', options: OPTIONS } as const;
}

function acceptRows(trx: Knex.Transaction, laid: Laid): Promise<unknown> {
  return acceptJob(trx, newJob(laid), { kind: 'rows', lines: Buffer.from('{"sku":"a"}'), rowCount: 1 });
}

function acceptRowsTogether(trx: Knex.Transaction, laid: Laid): Promise<unknown> {
  const input = { kind: 'rows', lines: Buffer.from('{"sku":"a"}'), rowCount: 1 } as const;
  const jobs = Array.from({ length: 10 }, (_, n) => recordedJob(newJob(laid, BUSY_SITE + (n % 5)), input));
  return acceptJobs(trx, jobs);
}

async function acceptFile(trx: Knex.Transaction, laid: Laid): Promise<void> {
  const job = newJob(laid);
  await acceptJob(trx, job, { kind: 'upload', fileId: laidId(laid, 'file', 1) });
  await scheduleFileJob(trx, job.id);
}
