/** One job with its steps: what of it is on the queue, and how often it was tried. */
import type { Knex } from 'knex';
import type { JobRow } from '../../../db/models/job.js';
import { findJob } from '../../domain/jobs/read-job.js';
import { DomainError } from '../../domain/kernel/errors.js';
import { isId } from '../../domain/kernel/identifier.js';
import { type Owner, rowsOf } from './reading.js';

/** Chunks that are shown, those that are not done first. */
const MOST_CHUNKS = 50;

interface ChunkState {
  readonly chunk: number;
  readonly pass: number;
  readonly status: string;
  readonly token: number;
  readonly dueSince: Date | null;
  readonly attempts: number;
  readonly outages: number;
  readonly deaths: number;
  readonly firstRow: number;
  readonly rows: number;
  readonly doneAt: Date | null;
}

interface JobDetails {
  readonly job: JobRow;
  readonly owner: Owner;
  readonly fileName: string | null;
  readonly order: { readonly state: string; readonly token: number; readonly dueSince: Date } | null;
  readonly openChunks: readonly ChunkState[];
  readonly chunks: readonly { readonly status: string; readonly count: number }[];
}

/** @throws DomainError not-found */
export async function jobDetails(trx: Knex, jobId: string): Promise<JobDetails> {
  const [found] = isId(jobId)
    ? await rowsOf<Owner & { siteId: number; fileName: string | null }>(
        trx,
        `SELECT job.site_id AS "siteId", file.name AS "fileName", site.stage, account.id AS "accountId",
           account.name AS "accountName"
         FROM job JOIN site ON site.id = job.site_id JOIN account ON account.id = site.account_id
         LEFT JOIN file ON file.id = job.input_file_id WHERE job.id = :jobId`,
        { jobId },
      )
    : [];
  if (found === undefined) {
    throw new DomainError(
      'not-found',
      'JOB_NOT_FOUND',
      `there is no job ${jobId.slice(0, 60)}; jobs are deleted after JOB_RETENTION_DAYS`,
    );
  }
  const { siteId, fileName, ...owner } = found;
  const job = await findJob(trx, siteId, jobId);
  const [order = null] = await rowsOf<{ state: string; token: number; dueSince: Date }>(
    trx,
    `SELECT state, dispatch AS token, dispatched_at AS "dueSince" FROM job_order
     WHERE site_id = :siteId AND position = :position`,
    { siteId, position: job.line_no },
  );
  const chunks = await rowsOf<{ status: string; count: number }>(
    trx,
    'SELECT status, count(*)::integer AS count FROM job_chunk WHERE job_id = :jobId GROUP BY status ORDER BY status',
    { jobId },
  );
  const openChunks = await rowsOf<ChunkState>(
    trx,
    `SELECT idx AS chunk, wave AS pass, status, dispatch AS token, dispatched_at AS "dueSince", attempts, outages, deaths,
       first_row AS "firstRow", row_count AS rows, done_at AS "doneAt"
     FROM job_chunk WHERE job_id = :jobId AND (status IN ('pending', 'dispatched') OR attempts + outages + deaths > 0)
     ORDER BY status IN ('pending', 'dispatched') DESC, idx LIMIT :most`,
    { jobId, most: MOST_CHUNKS },
  );
  return { job, owner, fileName, order, openChunks, chunks };
}
