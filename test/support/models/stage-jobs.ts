/**
 * Random jobs of a whole stage: those of definitions and items, requests that are the whole truth, jobs that wait for an approval,
 * reverts of earlier jobs, and archives of an earlier state.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createToken } from '../../../src/domain/access/tokens.js';
import { Shop } from '../http/shop.js';
import { exportStage, settled } from '../http/stages.js';
import type { World } from '../worlds/world.js';
import { accepted, type ItemRow, itemOf, PATHS, type PlainJob, plainJob, rows, sendPlain } from './definition-jobs.js';

const BULK = '/api-product/v1/product/bulk';
const VALUES = ['1', '2', '3'] as const;

type WideJob =
  | {
      readonly of: 'truth';
      readonly rows: readonly ItemRow[];
      readonly snapshot: object;
      readonly onError: 'skip' | 'abort';
      readonly waits: boolean;
      readonly isApproved: boolean;
    }
  | { readonly of: 'proposal'; readonly rows: readonly ItemRow[]; readonly isApproved: boolean }
  /** The revert of one of the last jobs, or of all of them. */
  | { readonly of: 'revert'; readonly back: number; readonly isAll: boolean }
  /** The first one keeps an archive, and the others import it. */
  | { readonly of: 'archive' };
export type StageJob = PlainJob | WideJob;

const snapshot = fc.record({
  scope: fc.oneof(
    fc.constant('stage'),
    fc.constantFrom('Tape', ...PATHS).map((category) => ({ category })),
    fc.record({ attribute: fc.constantFrom('Colour', 'Title', 'Weight'), value: fc.constantFrom(...VALUES) }),
  ),
  missing: fc.oneof(
    { weight: 3, arbitrary: fc.constant('delete') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('Colour', 'Title', 'Gtin').map((attribute) => ({ set: { attribute, value: '3' } })),
    },
    { weight: 1, arbitrary: fc.constantFrom('Colour', 'Title', 'Gtin').map((attribute) => ({ clear: [attribute] })) },
  ),
  maxMissingPercent: fc.constantFrom(0, 50, 100, 100, 100),
  onBrake: fc.constantFrom('stop', 'approve', 'approve'),
});
const wideJob: fc.Arbitrary<WideJob> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      of: fc.constant('truth' as const),
      rows,
      snapshot,
      onError: fc.constantFrom('skip', 'skip', 'abort'),
      waits: fc.constantFrom(false, false, true),
      isApproved: fc.constantFrom(true, true, false),
    }),
  },
  { weight: 1, arbitrary: fc.record({ of: fc.constant('proposal' as const), rows, isApproved: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      of: fc.constant('revert' as const),
      back: fc.integer({ min: 1, max: 3 }),
      isAll: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ of: fc.constant('archive' as const) }) },
);

export const stageJob: fc.Arbitrary<StageJob> = fc.oneof(
  { weight: 5, arbitrary: plainJob },
  { weight: 2, arbitrary: wideJob },
);

/** What was done to a stage by these jobs. */
interface Past {
  readonly jobs: string[];
  archive?: Buffer;
}
const PASTS = new WeakMap<Shop, Past>();

/** Waits for the end of the job, however it ends. @returns its id; null: there was nothing that it could have done */
export async function carryOutOnStage(world: World, shop: Shop, job: StageJob): Promise<string | null> {
  const id = await sendToStage(shop, job);
  if (id === null) return null;
  await decideOnStage(world, shop, id, !('isApproved' in job) || job.isApproved);
  await shop.outcome(id);
  return id;
}

/** @returns the id of the job, which has not ended yet; null: there was nothing that it could have done */
export async function sendToStage(shop: Shop, job: StageJob): Promise<string | null> {
  const past = PASTS.get(shop) ?? { jobs: [] };
  PASTS.set(shop, past);
  const id = await send(shop, job, past);
  if (id !== null) past.jobs.push(id);
  return id;
}

/** Waits until a job has ended, or has got its approval or its rejection. */
export async function decideOnStage(world: World, shop: Shop, id: string, isApproved: boolean): Promise<void> {
  const { status } = await settled(shop, id);
  if (status !== 'AWAITING_APPROVAL') return;
  const { token } = await createToken(world.db, { accountId: shop.account, name: 'decides' });
  const other = new Shop(world.api, shop.account, token, shop.siteId);
  const answer = await other.post(`/jobs/${id}/actions/${isApproved ? 'approve' : 'reject'}`, {});
  // A newer job may have ended its waiting.
  assert.ok(answer.status < 300 || answer.status === 409, answer.text);
}

async function send(shop: Shop, job: StageJob, past: Past): Promise<string | null> {
  switch (job.of) {
    case 'truth':
      return sendTruth(shop, job);
    case 'proposal':
      return accepted(shop, `${BULK}/upsert?requireApproval=true`, job.rows.map(itemOf));
    case 'revert': {
      const jobIds = job.isAll ? past.jobs.slice(-job.back) : past.jobs.slice(-job.back).slice(0, 1);
      const { status, body } = await shop.post('/jobs/actions/revert', { jobIds }, { headers: { prefer: 'wait=0' } });
      // There is none yet, or one of them has changed nothing.
      assert.ok([202, 400, 409].includes(status), JSON.stringify(body));
      return status === 202 ? body.jobId : null;
    }
    case 'archive':
      if (past.archive !== undefined) return shop.upload('stage.zip', past.archive, {}, { type: 'SITE_IMPORT' });
      past.archive = (await exportStage(shop)).bytes;
      return null;
    default:
      return sendPlain(shop, job);
  }
}

/** @returns null: the stage has no such attribute or category, or no such value */
async function sendTruth(shop: Shop, job: Extract<WideJob, { of: 'truth' }>): Promise<string | null> {
  const { onBrake: _, ...stopping } = job.snapshot as { onBrake: string };
  const query = new URLSearchParams({
    snapshot: JSON.stringify(job.onError === 'abort' ? stopping : job.snapshot),
    onError: job.onError,
    ...(job.waits ? { requireApproval: 'true' } : {}),
  });
  const path = `${BULK}/upsert?${query}`;
  const answer = await shop.post(path, job.rows.map(itemOf), { headers: { prefer: 'wait=0' } });
  assert.ok(answer.status === 202 || (answer.status === 400 && /snapshot/.test(answer.text)), answer.text);
  return answer.status === 202 ? answer.body.jobId : null;
}
