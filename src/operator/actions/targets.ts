/** Finds the jobs and endpoints that an action is done to, a page at a time. */
import type { Db } from '../../../db/connection.js';
import { type FoundJob, findJobs, type JobFilter } from '../read/find-jobs.js';
import { isAccountName, type Owner, rowsOf } from '../read/reading.js';
import type { EndpointFilter, RequestedAction } from './requested-action.js';

/** Targets that are read at once. */
const PAGE = 50;

export interface Target extends Owner {
  readonly id: string;
  readonly siteId: number;
  readonly cursor: string;
}

interface Targets {
  readonly targets: readonly Target[];
  /** Where to go on when there are none; null: there are no more. */
  readonly next: string | null;
}

export function nextTargets(db: Db, requested: RequestedAction, after: string, until: Date): Promise<Targets> {
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
        ? `(account.id = :account OR ${isAccountName('account.name')})`
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
