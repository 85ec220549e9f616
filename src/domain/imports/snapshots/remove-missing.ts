/** Removes what the file of a snapshot lacks, in the transaction of the caller: all of it, or nothing where the brake holds. */
import type { Knex } from 'knex';
import { besides } from '../../../../db/besides.js';
import type { Db } from '../../../../db/connection.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { forgetPreview } from '../../changes/record-changes.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { type Approval, approvalOf } from '../../job-model/approval.js';
import type { RemovalReport } from '../../job-model/removal-report.js';
import { forgetPreviewRows } from '../approval/preview-rows.js';
import type { ItemRules } from '../items/item-rules.js';
import { loadRules } from '../items/load-rules.js';
import type { ImportJob } from '../model/import-jobs.js';
import { keepUnshown } from './approved-removals.js';
import { brakeOf, inputOf } from './brake.js';
import { feedOf, keepShared, releaseShared } from './feed-items.js';
import { goneFeedOf } from './feed-of-scope.js';
import { collectMissing, keepHeld } from './missing-items.js';
import { type ItemJob, identityOf, keeping, type RemovedItems, removeAll } from './remove-all.js';
import { type ResolvedSnapshot, resolveSnapshot } from './resolve-snapshot.js';
import { waitingApproval } from './waiting-approval.js';

export interface Removal {
  readonly report: RemovalReport;
  /** What the scope of the snapshot means. */
  readonly scopeKey: string;
  /** Why the brake holds, or would have; null: it does not. */
  readonly brake: string | null;
  /** What it waits with for an approval of what the brake has stopped; undefined: it does not wait. */
  readonly waits?: Approval;
  /** Why items are kept, with one of them; null: none is. */
  readonly kept: string | null;
  /** What to enqueue once the transaction has committed. */
  readonly outboxEntries: readonly OutboxEntry[];
}

interface Removing<Job> {
  readonly db: Db;
  readonly job: Job;
  /** The definitions that the rows were checked by. */
  readonly version: number;
  readonly signal: AbortSignal;
  /** How many rows failed, where their errors are not recorded yet. */
  readonly failed?: number;
}

/**
 * Call it when all rows are applied. A dry run removes nothing for good, and lists what would go even if the brake holds.
 * @returns undefined when the job has no snapshot
 * @throws RejectedInput when what the snapshot names is not there any more
 */
export async function removeMissing(
  trx: Knex.Transaction,
  { job, ...removing }: Removing<ImportJob>,
): Promise<Removal | undefined> {
  if (job.kind !== 'item' || job.options.snapshot === undefined) return undefined;
  const { snapshot, missing: created } = job.options;
  // The values are JSON, whatever the options of the file are.
  const rules = await loadRules(trx, job, removing.version, { missing: created });
  const resolved = resolveSnapshot(rules, snapshot);
  const gone = await goneFeedOf(trx, job.site_id, snapshot);
  const [problem] = Array.isArray(resolved) ? resolved : [gone];
  if (problem !== undefined || Array.isArray(resolved))
    throw new RejectedInput('SNAPSHOT_REFUSED', problem?.message ?? '');
  const { inScope, missing } = await collectMissing(trx, identityOf(job), resolved);
  const newer = supersededBy(job);
  if (newer !== undefined) {
    const report = { inScope, missing, removed: 0, kept: missing, stopped: false, supersededBy: newer };
    const kept = `job ${newer}, which is newer and complete in the same scope, decides what stays`;
    return { report, scopeKey: resolved.scope.key, brake: null, kept, outboxEntries: [] };
  }
  const held = await keep(trx, job, resolved);
  const going = missing - held.count;
  const failed = going === 0 ? 0 : (removing.failed ?? (await countFailed(trx, job)));
  const brake = brakeOf(snapshot, { inScope, going, rows: job.total_count ?? 0, failed, input: inputOf(job) });
  const stopped = brake !== null && !isReleased(job);
  const { key: scopeKey } = resolved.scope;
  if (stopped && !job.isDryRun) {
    const report = { inScope, missing, removed: 0, kept: held.count, stopped };
    if (snapshot.onBrake !== 'approve') return { report, scopeKey, brake, kept: held.why, outboxEntries: [] };
    const shown = await showRemovals(trx, { ...removing, job }, rules, resolved);
    const would = { ...report, removed: shown.removed, kept: held.count + shown.kept };
    // Nothing of it can go: there is nothing to approve.
    const removal = { scopeKey, brake, kept: held.why ?? shown.why, outboxEntries: [] };
    if (shown.removed === 0) return { ...removal, report: would };
    return { ...removal, report: { ...would, waits: true }, waits: waitingApproval(job) };
  }
  const changed = await keepChanged(trx, job, resolved, removing.signal);
  const done = await removeAll(trx, { ...removing, job }, rules, resolved);
  const feedId = feedOf(snapshot);
  // While it waited for an approval, a newer file of the feed may have written what this one lacks.
  if (feedId !== undefined && approvalOf(job.options)?.only === undefined) await releaseShared(trx, feedId);
  const kept = held.count + changed.count + done.kept;
  const report = { inScope, missing, removed: done.removed, kept, stopped };
  return {
    report,
    scopeKey,
    brake: stopped ? brake : null,
    kept: held.why ?? changed.why ?? done.why,
    outboxEntries: done.outboxEntries,
  };
}

const BEFORE_SHOWN = 'before_shown';

/** Records what an approval would remove, as a dry run of the removal does. */
async function showRemovals(
  trx: Knex.Transaction,
  { job, ...removing }: Removing<ItemJob>,
  rules: ItemRules,
  resolved: ResolvedSnapshot,
): Promise<RemovedItems> {
  // What an earlier attempt, or a preview of the job with its rows, has recorded.
  await besides(removing.db, async (other) => {
    await forgetPreview(other, job.id);
    await forgetPreviewRows(other, job.id);
  });
  await trx.raw(`SAVEPOINT ${BEFORE_SHOWN}`);
  const options = { ...job.options, approval: { state: 'preview' as const } };
  const shown = await removeAll(trx, { ...removing, job: { ...job, options, isDryRun: true } }, rules, resolved);
  await trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_SHOWN}`);
  return shown;
}

const NONE = { count: 0, first: null } as const;

interface KeptItems {
  readonly count: number;
  /** Why one of them stays; null: there is none. */
  readonly why: string | null;
}

/** Leaves out of what is missing what other feeds have written, and what others need that stay. */
async function keep(
  trx: Knex.Transaction,
  { site_id: siteId, options: { snapshot } }: ItemJob,
  { values }: ResolvedSnapshot,
): Promise<KeptItems> {
  const feedId = snapshot === undefined ? undefined : feedOf(snapshot);
  const shared = feedId === undefined ? NONE : await keepShared(trx, { siteId, feedId });
  const held = values === null ? await keepHeld(trx, siteId) : NONE;
  const first = shared.first ?? held.first;
  return { count: shared.count + held.count, why: first === null ? null : keeping(first) };
}

const CHANGED_SINCE_SHOWN = 'they were changed, or came into the scope, after the preview that was approved';

/** Leaves out what the preview of an approved job has not shown, and then what that needs, which was to go with it. */
async function keepChanged(
  trx: Knex.Transaction,
  { id, site_id: siteId, options }: ItemJob,
  { values }: ResolvedSnapshot,
  signal: AbortSignal,
): Promise<KeptItems> {
  const unshown = approvalOf(options)?.state === 'approved' ? await keepUnshown(trx, siteId, id, signal) : 0;
  if (unshown === 0) return { count: 0, why: null };
  const held = values === null ? await keepHeld(trx, siteId) : NONE;
  return { count: unshown + held.count, why: held.first === null ? CHANGED_SINCE_SHOWN : keeping(held.first) };
}

/** The newer job that knew what there is in the scope when this one, which was approved with its rows, was still waiting. */
function supersededBy({ options }: ItemJob): string | undefined {
  const approval = approvalOf(options);
  if (approval?.state !== 'approved') return undefined;
  // A process of the release before has left it among the options.
  return (approval.removal ?? options.removal)?.supersededBy;
}

/** Whether somebody has approved what the brake would stop. */
function isReleased({ options }: ItemJob): boolean {
  const approval = approvalOf(options);
  return approval?.state === 'approved' && approval.at !== undefined;
}

/** The rows that failed. An insert is not to change the items that are there, whose rows fail for that alone. */
async function countFailed(trx: Knex.Transaction, { id, options }: ItemJob): Promise<number> {
  const { rows } = await trx.raw<{ rows: { failed: number }[] }>(
    `SELECT count(DISTINCT row_no)::integer AS failed FROM job_error WHERE job_id = :id AND (:all OR code <> 'SKU_EXISTS')`,
    { id, all: options.mode !== 'insert' },
  );
  return rows[0]?.failed ?? 0;
}
