/** Carrying out the rows of a request, from its beginning to its end. */

import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { runInlineJob } from '../../../src/domain/imports/execute/apply-alone.js';
import { applyBatch } from '../../../src/domain/imports/execute/apply-together.js';
import { IMPORT_HOOKS } from '../../../src/domain/imports/import-hooks.js';
import { IMPORT_JOBS } from '../../../src/domain/imports/model/import-jobs.js';
import { prepareDefinitions } from '../../../src/domain/imports/prepare-definitions.js';
import { ROWS_OF_JOBS } from '../../../src/domain/imports/rows-of-jobs.js';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { acceptJob } from '../../../src/domain/jobs/accept-job.js';
import { beginJobs } from '../../../src/domain/jobs/begin/begin-jobs.js';
import { leaveBatch } from '../../../src/domain/jobs/begin/leave-batch.js';
import { beginAlone } from '../../../src/domain/jobs/begin-alone.js';
import { endJob } from '../../../src/domain/jobs/end-job.js';
import { endJobs } from '../../../src/domain/jobs/ends/end-jobs.js';
import { findBatches } from '../../../src/domain/jobs/find-batches.js';
import { followEnds } from '../../../src/domain/jobs/follow-end.js';
import { splitBatch } from '../../../src/domain/jobs/job-batch.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { type Laid, laidId } from '../../support/worlds/plans/laid-ids.js';
import { accountOf, EMITTING_SITE, emptySite, type HotWork, LISTENED_SITE } from './hot-work.js';

const ROWS = Array.from({ length: 10 }, (_, n) => ({
  sku: n % 2 === 0 ? `new ${n}` : `sku ${String(n).padStart(7, '0')}`,
  nodeName: 'Disk',
  attributes: { Title: `t ${n}` },
}));

/** Variants and their parents, bundles, values that no two may share. */
const LINKED_ROWS = [
  { sku: 'sku 0000020', attributes: { Title: null, Code: 'code 20a' } },
  { sku: 'sku 0000030', attributes: { Title: 't', Code: 'code 31' } },
  { sku: 'new variant', nodeName: 'Disk', parentSku: 'sku 0000040', attributes: { Code: 'new code' } },
  {
    sku: 'bundle 1',
    bundleItems: [
      { sku: 'sku 0000050', quantity: 2 },
      { sku: 'bundle 2', quantity: 1 },
    ],
  },
  { sku: 'new bundle', type: 'BUNDLE', nodeName: 'Disk', bundleItems: [{ sku: 'sku 0000060', quantity: 1 }] },
];

const LEAVING = ['sku 0000101', 'sku 0000110', 'bundle 5', 'no item'].map((sku) => ({ sku }));

export const CARRYING_OUT: readonly HotWork[] = [
  {
    does: 'carries out ten rows of a site with items',
    within: 200,
    withinDead: 2_500,
    run: (trx, laid) => carryOut(trx, laid, laid.sites, ROWS),
  },
  {
    does: 'carries out ten rows of an empty site',
    within: 200,
    withinDead: 2_500,
    run: (trx, laid) => carryOut(trx, laid, emptySite(laid), ROWS),
  },
  {
    does: 'carries out rows that refer to others',
    within: 200,
    withinDead: 2_500,
    run: (trx, laid) => carryOut(trx, laid, laid.sites - 1, LINKED_ROWS),
  },
  {
    does: 'deletes items',
    within: 200,
    withinDead: 2_500,
    run: (trx, laid) => carryOut(trx, laid, laid.sites - 1, LEAVING, 'ITEM_BULK_DELETE'),
  },
  {
    does: 'carries out a batch of small jobs',
    // Some 70 for each of its eight jobs, where they end.
    within: 1_000,
    withinDead: 2_500,
    run: (trx, laid) => carryOutBatch(trx, laid, laid.sites),
  },
  { does: 'ends a job that nobody listens to', within: 80, run: (trx, laid) => end(trx, laid, LISTENED_SITE) },
  { does: 'ends a job that 25 listen to', within: 700, run: (trx, laid) => end(trx, laid, EMITTING_SITE) },
];

async function carryOut(
  trx: Knex.Transaction,
  laid: Laid,
  siteId: number,
  rows: readonly object[],
  type: 'ITEM_BULK_UPSERT' | 'ITEM_BULK_DELETE' = 'ITEM_BULK_UPSERT',
): Promise<void> {
  const id = newId();
  const options = { mode: 'upsert', onError: 'skip', validateOnly: false } as const;
  const owner = { siteId, accountId: accountOf(laid, siteId), channel: null, requestId: 'test' };
  const lines = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  await acceptJob(
    trx,
    { id, ...owner, jobType: IMPORT_JOBS.item, type, options },
    { kind: 'rows', lines, rowCount: rows.length },
  );
  await prepareDefinitions(trx, id);
  const outcome = await beginAlone(trx, { jobId: id, dispatch: 1 }, IMPORT_HOOKS);
  assert.equal(outcome.kind, 'begun');
  if (outcome.kind !== 'begun') return;
  await runInlineJob(trx, outcome.begun, outcome.definitionsVersion, {
    ...{ db: trx, loadApplier: ROWS_OF_JOBS.loadApplier, reader: 'fast', signal: new AbortController().signal },
  });
  const { status } = await trx('job').where({ id }).first('status');
  assert.match(status, /^COMPLETED/);
}

/** A batch begins no further round after so long. */
const BATCH_MS = 500;

async function carryOutBatch(trx: Knex.Transaction, laid: Laid, siteId: number): Promise<void> {
  const owner = { siteId, accountId: accountOf(laid, siteId), channel: null, requestId: 'test' };
  const type = { jobType: IMPORT_JOBS.item, type: 'ITEM_BULK_UPSERT' } as const;
  const options = { mode: 'upsert', onError: 'skip', validateOnly: false } as const;
  const ids = Array.from({ length: 8 }, newId);
  for (const [index, id] of ids.entries()) {
    const rows = [
      { ...ROWS[0], sku: `batch ${index}` },
      { ...ROWS[1], sku: `sku 000000${index}` },
      { sku: 'no category' },
    ];
    const lines = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
    await acceptJob(trx, { id, ...owner, ...type, options }, { kind: 'rows', lines, rowCount: rows.length });
  }
  const [first = ''] = ids;
  const payload = { jobId: first, dispatch: 1 };
  const { batches } = await findBatches(trx, [payload], IMPORT_HOOKS);
  const [batch] = batches;
  assert.equal(batch?.entries.length, ids.length);
  const { sites } = await beginJobs(trx, batches, IMPORT_HOOKS);
  const startedAt = performance.now();
  const { ends, failed } = await applyBatch(trx, sites, { ...ROWS_OF_JOBS, reader: 'fast' });
  const wasInTime = performance.now() - startedAt < BATCH_MS;
  assert.deepEqual(failed, []);
  const left = await endJobs(trx, ends);
  await followEnds(trx, JOB_TYPES, left, [siteId]);
  await leaveBatch(trx, siteId, left[0]?.position ?? 0);
  await splitBatch(trx, batch, true);
  // On a machine with much other work, the time of a batch may be over before its last rounds.
  assert.ok(ends.length > 0 && (!wasInTime || ends.length === ids.length), `${ends.length} of ${ids.length} ended`);
  const ended = await trx('job').whereIn('id', ids).whereNotNull('completed_at').pluck('id');
  assert.deepEqual(ended.sort(), ends.map(({ jobId }) => jobId).sort());
}

function end(trx: Knex.Transaction, laid: Laid, siteId: number): Promise<void> {
  return endJob(trx, laidId(laid, 'applying', siteId), { status: 'COMPLETED' });
}
