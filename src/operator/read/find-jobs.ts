/** Finds jobs over all accounts: for the page Work, and for the actions on all that match. */
import type { Knex } from 'knex';
import { z } from 'zod';
import type { JobStatus } from '../../../db/models/job.js';
import { writtenForms } from '../../domain/kernel/contains-text.js';
import { firstIdOf } from '../../domain/kernel/identifier.js';
import { accountIdsOf, type Owner, rowsOf } from './reading.js';

/** Which jobs an operator means. Undefined: any. */
export const jobFilter = z
  .object({
    job: z.string().max(60).optional(),
    /** The id or the whole name. */
    account: z.string().max(200).optional(),
    /** The whole name in upper or lower case, or with an account a part of it. */
    file: z.string().max(300).optional(),
    /** A reason of FAILED or REJECTED, or a code of row errors. */
    code: z.string().max(60).optional(),
    status: z.string().max(40).optional(),
    type: z.string().max(60).optional(),
  })
  .readonly();
export type JobFilter = z.output<typeof jobFilter>;

export interface FoundJob extends Owner {
  readonly id: string;
  readonly siteId: number;
  readonly type: string;
  readonly status: JobStatus;
  readonly reason: string | null;
  readonly total: number | null;
  readonly processed: number;
  readonly failed: number;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
  /** The `after` of what follows it. */
  readonly cursor: string;
}

interface FoundJobs {
  readonly jobs: readonly FoundJob[];
  /** The `after` of the next search; null: there is nothing more. */
  readonly next: string | null;
  /** How many jobs were examined. */
  readonly examined: number;
}

interface Search {
  readonly direction: 'newest' | 'oldest';
  /** A cursor; null: from the beginning. */
  readonly after: string | null;
  /** Only jobs that were accepted until then. */
  readonly until: Date;
  readonly limit: number;
}

/** How many jobs one search examines: what is not found among them is found by the next. */
const WINDOW = 20_000;
/** Stages of an account that are searched. */
const MOST_SITES = 200;

/** A cursor: when a job was created, and its id. */
const CURSOR = /^(\d{4}-[\d:. +-]{6,40})\|([0-9a-f]{24})$/;
const BEGINNING = '0001-01-01T00:00:00Z';
/** Clocks of processes, which make the ids, may be ahead of that of the database by so much. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Finds jobs that match. An index leads to those of an account, to those of a file and to those that have failed; of
 * others a window is examined, so that the cost does not grow with the number of jobs.
 */
export async function findJobs(trx: Knex, filter: JobFilter, search: Search): Promise<FoundJobs> {
  const accountIds = filter.account === undefined ? null : await accountIdsOf(trx, filter.account);
  if (accountIds?.length === 0) return { jobs: [], next: null, examined: 0 };
  const { direction, until, limit } = search;
  const isNewest = direction === 'newest';
  const lastId = firstIdOf(new Date(until.getTime() + CLOCKS_DIFFER_MS));
  const start = isNewest ? [until.toISOString(), lastId] : [BEGINNING, ''];
  const [beyondAt = '', beyondId = ''] = CURSOR.exec(search.after ?? '')?.slice(1) ?? start;
  const filters = filtersOf(filter, accountIds !== null);
  // Where all match, as many are examined as are shown.
  const most = filters.length === 0 ? limit : WINDOW;
  const bindings: Record<string, Knex.Value> = {
    ...Object.fromEntries(filters.map(({ name, value }) => [name, value])),
    // A Mac writes letters with accents otherwise than a keyboard.
    ...(filter.file === undefined ? {} : { file: writtenForms(filter.file) }),
    ...{ beyondAt, beyondId, until, lastId, most, limit },
  };
  const examined = examinedJobs({ filter, accountIds, isNewest, bindings });
  const conditions = ['job.created_at <= :until', ...filters.map(({ condition }) => condition)];
  const rows = await rowsOf<Omit<FoundJob, 'id'> & { id: string | null; examined: number; last: string | null }>(
    trx,
    `WITH examined AS MATERIALIZED (${examined}), numbered AS MATERIALIZED (
       SELECT examined.*, row_number() OVER () AS nth FROM examined
     ), matching AS (
       SELECT job.* FROM numbered AS job WHERE ${conditions.join(' AND ')}
       ORDER BY job.nth LIMIT :limit
     )
     SELECT job.id, job.site_id AS "siteId", job.type, job.status, job.reason, job.total_count AS total,
       job.processed_count AS processed, job.error_count AS failed, job.created_at AS "createdAt",
       job.completed_at AS "completedAt", job.created_at::text || '|' || job.id AS cursor,
       account.id AS "accountId", account.name AS "accountName", site.stage, whole.examined, whole.last
     FROM (SELECT count(*)::integer AS examined,
             (SELECT created_at::text || '|' || id FROM numbered ORDER BY nth DESC LIMIT 1) AS last
           FROM numbered) AS whole
     LEFT JOIN matching AS job ON true
     LEFT JOIN site ON site.id = job.site_id LEFT JOIN account ON account.id = site.account_id
     ORDER BY job.nth`,
    bindings,
  );
  const { examined: count = 0, last = null } = rows[0] ?? {};
  const jobs = rows.flatMap(({ id, ...job }) => (id === null ? [] : [{ ...job, id }]));
  const isFull = jobs.length >= limit;
  return { jobs, next: isFull ? (jobs.at(-1)?.cursor ?? null) : count >= most ? last : null, examined: count };
}

interface Source {
  readonly filter: JobFilter;
  readonly accountIds: readonly string[] | null;
  readonly isNewest: boolean;
  readonly bindings: Record<string, Knex.Value>;
}

/** Not those that may be large, but for the summary of errors, which stays where it is unless it is searched. */
const COLUMNS = [
  ...['id', 'site_id', 'type', 'status', 'reason', 'total_count', 'processed_count', 'error_count', 'error_summary'],
  ...['created_at', 'completed_at', 'input_file_id'],
]
  .map((column) => `job.${column}`)
  .join(', ');

/** SQL: the jobs of the window, in order. */
function examinedJobs({ filter, accountIds, isNewest, bindings }: Source): string {
  const [beyond, down] = isNewest ? ['<', ' DESC'] : ['>', ''];
  // One that is known by its id is looked up, and not searched for.
  if (filter.job !== undefined) return `SELECT ${COLUMNS} FROM job WHERE id = :job AND id ${beyond} :beyondId`;
  if (accountIds !== null) {
    bindings.accountIds = [...accountIds];
    bindings.sites = MOST_SITES;
    return `SELECT ${COLUMNS} FROM (
        SELECT id FROM site WHERE account_id = ANY (:accountIds::text[]) ORDER BY id LIMIT :sites) AS asked
      CROSS JOIN LATERAL (
        SELECT * FROM job WHERE site_id = asked.id AND (created_at, id) ${beyond} (:beyondAt::timestamptz, :beyondId)
        ORDER BY created_at${down}, id${down} LIMIT :most) AS job
      ORDER BY job.created_at${down}, job.id${down} LIMIT :most`;
  }
  if (filter.file !== undefined) {
    // A file belongs to the job that has read it last; a retry reads it again.
    return `SELECT ${COLUMNS} FROM (
        SELECT file.* FROM unnest(:file::text[]) AS form CROSS JOIN LATERAL (
          SELECT id, job_id FROM file WHERE lower(name) = lower(form) ORDER BY created_at DESC LIMIT :most) AS file) AS named
      JOIN job ON job.id = named.job_id AND job.input_file_id = named.id
      WHERE (job.created_at, job.id) ${beyond} (:beyondAt::timestamptz, :beyondId)
      ORDER BY job.created_at${down}, job.id${down}`;
  }
  if (filter.status === 'FAILED') {
    return `SELECT ${COLUMNS} FROM job
      WHERE status = 'FAILED' AND (created_at, id) ${beyond} (:beyondAt::timestamptz, :beyondId)
      ORDER BY created_at${down}, id${down} LIMIT :most`;
  }
  return `SELECT ${COLUMNS} FROM job WHERE id ${beyond} :beyondId AND id <= :lastId ORDER BY id${down} LIMIT :most`;
}

interface Filter {
  readonly name: keyof JobFilter;
  readonly value: string;
  /** SQL. */
  readonly condition: string;
}

const CONDITIONS: Readonly<Record<Exclude<keyof JobFilter, 'account'>, string>> = {
  job: 'job.id = :job',
  status: 'job.status = :status',
  type: 'job.type = :type',
  code: "(job.reason = :code OR job.error_summary @> jsonb_build_array(jsonb_build_object('code', :code::text)))",
  file: fileWhere('lower(file.name) = lower(form)'),
};
const PART_OF_NAME = fileWhere('strpos(lower(file.name), lower(form)) > 0');

function fileWhere(condition: string): string {
  return `EXISTS (SELECT FROM file, unnest(:file::text[]) AS form WHERE file.id = job.input_file_id AND ${condition})`;
}

function filtersOf({ account: _, ...filter }: JobFilter, withAccount: boolean): readonly Filter[] {
  return (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).flatMap((name) => {
    const value = filter[name];
    const condition = name === 'file' && withAccount ? PART_OF_NAME : CONDITIONS[name];
    return value === undefined ? [] : [{ name, value, condition }];
  });
}
