/**
 * What operators do to one job or endpoint, or to all that match. Each action is a row with its progress, which the
 * maintenance process works off, target after target. What was done is recorded in the transaction of the change, so an
 * action that was interrupted continues after it.
 */
import type { Knex } from 'knex';
import { z } from 'zod';
import type { Db } from '../../db/connection.js';
import { isLockedOut, withRetries } from '../../db/with-retries.js';
import { type Actor, type AuditAction, recordAudit } from '../domain/access/audit.js';
import { refuseMissingInput } from '../domain/files/require-input.js';
import { JOB_TYPES } from '../domain/job-types.js';
import { cancelJob } from '../domain/jobs/cancel-job.js';
import { followEnd } from '../domain/jobs/follow-end.js';
import { releaseDue } from '../domain/jobs/release-jobs.js';
import { retryJob } from '../domain/jobs/retry-job.js';
import { DomainError } from '../domain/kernel/errors.js';
import { newId } from '../domain/kernel/identifier.js';
import { acceptReplay } from '../domain/replays/accept-replay.js';
import { resumeDeliveries } from '../domain/webhooks/redispatch.js';
import type { FileStore } from '../platform/file-store.js';
import type { Logger } from '../platform/logger.js';
import { outageOf } from '../platform/outage.js';
import { enqueueEntries, type OutboxEntry } from '../queues/outbox.js';
import type { Producer } from '../queues/producer.js';
import { type FoundJob, findJobs, type JobFilter, jobFilter } from './read/find-jobs.js';
import { type Owner, rowsOf } from './read/reading.js';

/** Which endpoints an operator means: one, those of an account, or all whose circuit breaker is not closed. */
const endpointFilter = z
  .object({
    endpoint: z.string().max(60).optional(),
    account: z.string().max(200).optional(),
    /** A replay: of the deliveries that failed or were cancelled since then. */
    since: z.iso.datetime().optional(),
  })
  .readonly();
type EndpointFilter = z.output<typeof endpointFilter>;

/** Which ended jobs are repeated, and how; see retryJob. */
const retryFilter = jobFilter
  .unwrap()
  .extend({
    /** All that the job has not applied, or only the rows that failed. */
    rows: z.enum(['all', 'failed']).optional(),
  })
  .readonly();

/** An action, with what it is done to. */
export const requestedAction = z.discriminatedUnion('action', [
  z.object({ action: z.literal('cancel'), filter: jobFilter }),
  z.object({ action: z.literal('retry'), filter: retryFilter }),
  z.object({ action: z.literal('resume'), filter: endpointFilter }),
  z.object({ action: z.literal('replay'), filter: endpointFilter }),
]);
export type RequestedAction = z.output<typeof requestedAction>;

type ActionName = RequestedAction['action'];

export interface OperatorAction {
  readonly id: string;
  readonly action: string;
  readonly filter: unknown;
  readonly actor: Actor;
  readonly done: number;
  readonly refused: number;
  readonly refusals: readonly { readonly id: string; readonly message: string }[];
  /** Null: it has not ended. */
  readonly outcome: 'DONE' | 'STOPPED' | 'FAILED' | null;
  readonly message: string | null;
  readonly stopRequestedAt: Date | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
}

interface ActionRow extends OperatorAction {
  /** The cursor of the last target. */
  readonly doneUpto: string;
}

const COLUMNS = `id, action, filter, actor, done_upto AS "doneUpto", done, refused, refusals, outcome, message,
  stop_requested_at AS "stopRequestedAt", created_at AS "createdAt", started_at AS "startedAt",
  completed_at AS "completedAt"`;

/** Records an action, which the maintenance process then executes. @returns its id */
export async function requestAction(db: Db, { action, filter }: RequestedAction, actor: Actor): Promise<string> {
  const id = newId();
  await db.transaction(async (trx) => {
    await trx('operator_action').insert({ id, action, filter: JSON.stringify(filter), actor: JSON.stringify(actor) });
    const target = `operator-action/${id} ${action} ${JSON.stringify(filter)}`;
    await recordAudit(trx, [{ actor, accountId: null, action: 'OPERATOR_ACTION_STARTED', target }]);
  });
  return id;
}

/** Asks an action to stop after the target that it is at. @throws DomainError not-found, conflict (it has ended) */
export async function stopAction(db: Db, id: string, actor: Actor): Promise<void> {
  const { outcome } = await findAction(db, id);
  await db.transaction(async (trx) => {
    const stopped = await trx('operator_action')
      .where({ id })
      .whereNull('completed_at')
      .update({ stop_requested_at: trx.raw('coalesce(stop_requested_at, now())'), updated_at: trx.fn.now() });
    if (stopped === 0)
      throw new DomainError('conflict', 'ACTION_ENDED', `the action has ended already: ${outcome ?? 'just now'}`);
    const target = `operator-action/${id}`;
    await recordAudit(trx, [{ actor, accountId: null, action: 'OPERATOR_ACTION_STOPPED', target }]);
  });
}

/** @throws DomainError not-found */
export async function findAction(db: Db, id: string): Promise<OperatorAction> {
  const [found] = await rowsOf<ActionRow>(db, `SELECT ${COLUMNS} FROM operator_action WHERE id = :id`, { id });
  if (found === undefined)
    throw new DomainError('not-found', 'ACTION_NOT_FOUND', `there is no action ${id.slice(0, 60)}`);
  return found;
}

/** The newest actions first. */
export async function listActions(db: Db, limit: number): Promise<readonly OperatorAction[]> {
  return rowsOf<ActionRow>(
    db,
    `SELECT ${COLUMNS} FROM operator_action ORDER BY created_at DESC, id DESC LIMIT :limit`,
    { limit },
  );
}

/** Deletes the actions that ended so many days ago; the audit log keeps what it has of them. */
export async function pruneActions(db: Db, retentionDays: number): Promise<void> {
  await db.raw("DELETE FROM operator_action WHERE completed_at < now() - ? * interval '1 day'", [retentionDays]);
}

// Executing actions

interface ActionServices {
  readonly db: Db;
  readonly fileStore: FileStore;
  readonly producer: Producer;
  readonly logger: Logger;
}

/** Targets that are read at once. */
const PAGE = 50;

/**
 * Executes the actions that have not ended, one after another.
 * @param isStopping whether the process is about to end: another one continues
 */
export async function runActions(services: ActionServices, isStopping: () => boolean): Promise<void> {
  while (!isStopping()) {
    const [row] = await rowsOf<ActionRow>(
      services.db,
      `SELECT ${COLUMNS} FROM operator_action WHERE completed_at IS NULL ORDER BY created_at, id LIMIT 1`,
    );
    if (row === undefined) return;
    await runAction(services, row, isStopping).catch(async (error: unknown) => {
      if (error instanceof Superseded) return;
      // What the database has refused is tried again by the next pass.
      if (!(error instanceof z.ZodError)) throw error;
      await endAction(services.db, row.id, 'FAILED', 'a later release has written this action; it was not executed');
    });
  }
}

async function runAction(services: ActionServices, row: ActionRow, isStopping: () => boolean): Promise<void> {
  const { db } = services;
  const requested = requestedAction.parse({ action: row.action, filter: row.filter });
  await db('operator_action').where({ id: row.id }).whereNull('started_at').update({ started_at: db.fn.now() });
  let { doneUpto } = row;
  while (!isStopping()) {
    const { stopRequestedAt, outcome } = await findAction(db, row.id);
    if (outcome !== null) return;
    if (stopRequestedAt !== null) return endAction(db, row.id, 'STOPPED', null);
    const { targets, next } = await nextTargets(db, requested, doneUpto, row.createdAt);
    for (const target of targets) {
      if (isStopping()) return;
      await execute(services, row, requested, target, doneUpto);
      doneUpto = target.cursor;
    }
    if (targets.length > 0) continue;
    if (next === null) return endAction(db, row.id, 'DONE', null);
    await advance(db, row.id, doneUpto, { cursor: next });
    doneUpto = next;
  }
}

async function endAction(db: Db, id: string, outcome: string, message: string | null): Promise<void> {
  await db('operator_action')
    .where({ id })
    .whereNull('completed_at')
    .update({ outcome, message, completed_at: db.fn.now(), updated_at: db.fn.now() });
}

/** Another process has executed this part of the action meanwhile. */
class Superseded extends Error {}

interface Advance {
  readonly cursor: string;
  /** What became of the target; undefined: there was none. */
  readonly outcome?: 'done' | 'refused';
  readonly refusal?: { readonly id: string; readonly message: string };
}

const MOST_REFUSALS = 20;

/** Records that the action has come so far. @throws Superseded when it is not where the caller believes it to be */
async function advance(db: Db, id: string, from: string, { cursor, outcome, refusal }: Advance): Promise<void> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `UPDATE operator_action SET done_upto = :cursor, done = done + :done, refused = refused + :refused,
       refusals = CASE WHEN :refusal::jsonb IS NULL OR jsonb_array_length(refusals) >= ${MOST_REFUSALS} THEN refusals
                       ELSE refusals || :refusal::jsonb END,
       updated_at = now()
     WHERE id = :id AND done_upto = :from AND completed_at IS NULL`,
    {
      ...{ id, from, cursor, done: outcome === 'done' ? 1 : 0, refused: outcome === 'refused' ? 1 : 0 },
      refusal: refusal === undefined ? null : JSON.stringify([refusal]),
    },
  );
  if (rowCount === 0) throw new Superseded();
}

interface Target extends Owner {
  readonly id: string;
  readonly siteId: number;
  readonly cursor: string;
}

interface Targets {
  readonly targets: readonly Target[];
  /** Where to go on when there are none; null: there are no more. */
  readonly next: string | null;
}

function nextTargets(db: Db, requested: RequestedAction, after: string, until: Date): Promise<Targets> {
  const { action, filter } = requested;
  if (action === 'cancel') return nextJobs(db, filter, isOpen, after, until);
  if (action === 'retry') return nextJobs(db, withRetriedStatus(filter), isRetriable, after, until);
  return nextEndpoints(db, filter, after);
}

/** The oldest first, as they were accepted: what is done to them may be done again in this order. */
async function nextJobs(
  db: Db,
  filter: JobFilter,
  isMeant: (job: FoundJob) => boolean,
  after: string,
  until: Date,
): Promise<Targets> {
  // Postgres knows microseconds, and a Date does not.
  const through = new Date(until.getTime() + 1);
  const search = { direction: 'oldest', after: after === '' ? null : after, until: through, limit: PAGE } as const;
  const { jobs, next } = await db.transaction((trx) => findJobs(trx, filter, search), { readOnly: true });
  const targets = jobs.filter(isMeant);
  return { targets, next: targets.length > 0 ? null : next };
}

/** Whether a job can be cancelled. */
export function isOpen({ completedAt }: FoundJob): boolean {
  return completedAt === null;
}

/** Without a status or a job, those that have failed permanently are meant. */
export function withRetriedStatus<Filter extends JobFilter>(filter: Filter): Filter {
  return filter.status === undefined && filter.job === undefined ? { ...filter, status: 'FAILED' } : filter;
}

/** Whether a job has ended otherwise than with all its rows applied. */
export function isRetriable({ completedAt, status }: FoundJob): boolean {
  return completedAt !== null && status !== 'COMPLETED';
}

async function nextEndpoints(db: Db, { endpoint, account }: EndpointFilter, after: string): Promise<Targets> {
  const which =
    endpoint !== undefined
      ? 'definition.id = :endpoint'
      : account !== undefined
        ? '(account.id = :account OR lower(account.name) = lower(:account))'
        : 'EXISTS (SELECT FROM endpoint_health WHERE definition_id = definition.id AND openings > 0)';
  const targets = await rowsOf<Target>(
    db,
    `SELECT definition.id, definition.id AS cursor, definition.site_id AS "siteId", account.id AS "accountId",
       account.name AS "accountName", site.stage
     FROM webhook_definition AS definition JOIN site ON site.id = definition.site_id
     JOIN account ON account.id = site.account_id
     WHERE definition.id > :after AND ${which} ORDER BY definition.id LIMIT :page`,
    { endpoint: endpoint ?? null, account: account ?? null, after, page: PAGE },
  );
  return { targets, next: null };
}

/** Does the action to one target. What the domain refuses is counted, and no reason to stop. */
async function execute(
  services: ActionServices,
  row: ActionRow,
  requested: RequestedAction,
  target: Target,
  from: string,
): Promise<void> {
  const { db, producer, logger } = services;
  let recorded = false;
  const record = async (trx: Db) => {
    await recordAudit(trx, [auditEntry(requested.action, row.actor, target)]);
    await advance(trx, row.id, from, { cursor: target.cursor, outcome: 'done' });
    recorded = true;
  };
  try {
    const outboxEntries = await perform(services, requested, target, record);
    if (!recorded) await advance(db, row.id, from, { cursor: target.cursor, outcome: 'done' });
    await enqueueEntries(producer, outboxEntries, logger);
  } catch (error) {
    if (error instanceof Superseded || outageOf(error) !== null || isLockedOut(error)) throw error;
    const isRefused = error instanceof DomainError;
    // A target that meets a fault must not keep the others waiting.
    if (!isRefused)
      logger.error({ err: error, action: row.id, target: target.id }, 'an action met a fault, and goes on');
    const message = isRefused
      ? error.message
      : 'a fault of Longshore itself; the log of the maintenance process has it';
    const refusal = { id: target.id, message };
    await advance(db, row.id, from, { cursor: target.cursor, outcome: 'refused', refusal });
  }
}

const RECORDED: Readonly<Record<ActionName, readonly [act: AuditAction, subject: string]>> = {
  cancel: ['JOB_CANCELLED', 'job'],
  retry: ['JOB_RETRIED', 'job'],
  resume: ['WEBHOOK_RESUMED', 'webhook'],
  replay: ['EVENTS_REPLAYED', 'webhook'],
};

/** What the account sees in its own audit log. */
function auditEntry(action: ActionName, actor: Actor, { accountId, stage, id }: Target) {
  const [act, subject] = RECORDED[action];
  return { actor, accountId, stage, action: act, target: `${subject}/${id}` };
}

/** @param record is called in the transaction of the change, if there is one */
function perform(
  { db, fileStore }: ActionServices,
  { action, filter }: RequestedAction,
  target: Target,
  record: (trx: Db) => Promise<void>,
): Promise<OutboxEntry[]> {
  if (action === 'cancel') return cancel(db, target, record);
  if (action === 'retry') return retry({ db, fileStore }, target, filter.rows ?? 'all', record);
  if (action === 'resume') return resume(db, target, record);
  return replay(db, target, filter.since, record);
}

async function cancel(db: Db, { id, siteId }: Target, record: (trx: Db) => Promise<void>): Promise<OutboxEntry[]> {
  const { outboxEntries, ended } = await cancelJob(db, JOB_TYPES, siteId, id, record);
  return ended ? followEnd(db, JOB_TYPES, id) : outboxEntries;
}

async function retry(
  { db, fileStore }: Pick<ActionServices, 'db' | 'fileStore'>,
  { id, siteId }: Target,
  rows: 'all' | 'failed',
  record: (trx: Db) => Promise<void>,
): Promise<OutboxEntry[]> {
  await refuseMissingInput(db, fileStore, siteId, id);
  const outboxEntries = await withRetries(db, async (trx) => {
    await record(trx);
    // The last statement: other requests of the site wait for its lock.
    const request = { id: newId(), requestId: null, traceparent: null, rows, force: false };
    return (await retryJob(trx, JOB_TYPES, id, request)).outboxEntries;
  });
  // Behind many others it is accepted as held. All of them may have ended since then.
  return outboxEntries.length > 0 ? outboxEntries : releaseDue(db, siteId);
}

async function resume(db: Db, { id, siteId }: Target, record: (trx: Db) => Promise<void>): Promise<OutboxEntry[]> {
  return (await resumeDeliveries(db, siteId, id, record)).outboxEntries;
}

const DAY_MS = 86_400_000;

function replay(
  db: Db,
  { id, siteId, accountId, stage }: Target,
  since: string | undefined,
  record: (trx: Knex.Transaction) => Promise<void>,
): Promise<OutboxEntry[]> {
  const range = {
    webhookId: id,
    since: since ?? new Date(Date.now() - DAY_MS).toISOString(),
    until: null,
    outcomes: ['FAILED', 'CANCELLED'] as const,
  };
  return withRetries(db, async (trx) => {
    const site = { siteId, accountId, stage, channel: null, date: null };
    const replayed = { id: newId(), site, requestId: newId(), range: { ...range, outcomes: [...range.outcomes] } };
    const outboxEntries = await acceptReplay(trx, replayed);
    await record(trx);
    return outboxEntries;
  });
}
