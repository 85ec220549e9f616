/** Applying a file, chunk by chunk. */

import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { snapshotDefinitions } from '../../../src/domain/catalog/definition-snapshot.js';
import { applyJobChunk } from '../../../src/domain/imports/apply-job-chunk.js';
import { finishFileJob } from '../../../src/domain/imports/finish-file-job.js';
import { ROWS_OF_JOBS } from '../../../src/domain/imports/rows-of-jobs.js';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { advanceJob } from '../../../src/domain/jobs/chunks/advance-job.js';
import { openWindow, refillWindow } from '../../../src/domain/jobs/chunks/chunk-window.js';
import { recordFailure } from '../../../src/domain/jobs/record-failure.js';
import { enqueueStep } from '../../../src/domain/jobs/steps/enqueue-step.js';
import type { FileStore } from '../../../src/platform/file-store.js';
import { type Laid, laidId } from '../../support/worlds/plans/laid-ids.js';
import { BUSY_SITE, type HotWork } from './hot-work.js';

export const CHUNKS: readonly HotWork[] = [
  {
    does: 'opens the window of a job',
    within: 80,
    withinDead: 500,
    run: (trx, laid) => openWindow(trx, ownerOf(laid)),
  },
  { does: 'refills it', within: 80, withinDead: 500, run: (trx, laid) => refillWindow(trx, ownerOf(laid)) },
  { does: 'applies a chunk', within: 160, withinDead: 500, run: applyChunk },
  {
    does: 'records that one failed',
    within: 40,
    run: (trx, laid) => recordFailure(trx, JOB_TYPES, chunkOf(laid), { kind: 'error', reason: 'INTERNAL_ERROR' }),
  },
  {
    does: 'asks whether others are served, when one has met many outages',
    within: 450,
    withinDead: 6_000,
    run: recordOutage,
  },
  {
    does: 'leaves a job whose chunks are open where it is',
    within: 10,
    run: (trx, laid) => advanceJob(trx, jobOf(laid)),
  },
  { does: 'moves a job on whose chunks are done', within: 80, run: (trx, laid) => advanceJob(trx, doneJobOf(laid)) },
  { does: 'finishes a job that 25 listen to', within: 700, run: finish },
];

/** A chunk that is on the queue. */
export function chunkOf(laid: Laid) {
  return { jobId: jobOf(laid), chunk: laid.chunks / 2, dispatch: 1 };
}

function jobOf(laid: Laid): string {
  return laidId(laid, 'applying', BUSY_SITE);
}

function doneJobOf(laid: Laid): string {
  return laidId(laid, 'applying', laid.applying);
}

function ownerOf(laid: Laid) {
  return { id: jobOf(laid), site_id: BUSY_SITE, ordered: false };
}

async function applyChunk(trx: Knex.Transaction, laid: Laid, fileStore: FileStore): Promise<void> {
  await snapshotDefinitions(trx, BUSY_SITE);
  const place = chunkOf(laid);
  await applyJobChunk({ db: trx, fileStore, config: { importReader: 'fast' }, rowsOfJobs: ROWS_OF_JOBS }, place);
  const chunk = await trx('job_chunk').where({ job_id: place.jobId, idx: place.chunk }).first('created_count');
  assert.equal(chunk.created_count, 10);
}

async function finish(trx: Knex.Transaction, laid: Laid, fileStore: FileStore): Promise<void> {
  const jobId = doneJobOf(laid);
  await enqueueStep(trx, jobId, 'finish');
  assert.ok(await finishFileJob({ db: trx, fileStore }, { jobId, dispatch: 2 }));
}

async function recordOutage(trx: Knex.Transaction, laid: Laid): Promise<void> {
  const { jobId, chunk } = chunkOf(laid);
  await trx('job_chunk').where({ job_id: jobId, idx: chunk }).update({ outages: 20 });
  await recordFailure(trx, JOB_TYPES, chunkOf(laid), { kind: 'outage', part: 'database', lasting: false });
}
