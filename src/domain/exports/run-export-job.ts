/** Begins an attempt to write an export, which makes it the current attempt of its job. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { rowsCopied } from '../../../db/copy-out.js';
import { withRetries } from '../../../db/with-retries.js';
import type { Logger } from '../../platform/logger.js';
import { FILE_FORMATS, writtenContentTypeOf } from '../formats/file-format.js';
import type { SourceFormat } from '../formats/model/source-format.js';
import type { endJob } from '../jobs/end-job.js';
import { lockJobStep } from '../jobs/job-steps.js';
import { parseJob } from '../jobs/model/job-type.js';
import type { StepPayload } from '../jobs/model/step-payload.js';
import { beginOneStep, recordProgress } from '../jobs/single-step.js';
import { newId } from '../kernel/identifier.js';
import { EXPORT_JOBS, EXPORT_TYPES, type ExportJob, exportKey, keysOfAttempts } from './export-job.js';
import type { ExportFormatting, ExportSpec } from './export-spec.js';
import { ExportRefused } from './write/export-refused.js';
import { type WriteServices, writeExport } from './write/write-export.js';

/** Given by the caller, which also runs other jobs: how the end of a job is announced is no matter of exports. */
export type EndJob = typeof endJob;

interface ExportServices extends WriteServices {
  readonly logger?: Logger | undefined;
  readonly endJob: EndJob;
}

/** An attempt that has begun. */
interface ExportAttempt extends StepPayload {
  readonly job: ExportJob;
  readonly startedAt: Date;
  /** Counted from 1. When a worker dies, the same outbox entry is attempted again. */
  readonly attempt: number;
}

type BeginExport =
  | { readonly kind: 'begun'; readonly attempt: ExportAttempt }
  /** The fencing token is outdated, or the job has ended: there is nothing to do. */
  | { readonly kind: 'stale' }
  /** The site already runs as many exports as it may; the end of one of them releases this one. */
  | { readonly kind: 'held'; readonly siteId: number };

async function beginExport(trx: Knex.Transaction, payload: StepPayload): Promise<BeginExport> {
  const job = await lockExport(trx, payload);
  if (job === undefined) return { kind: 'stale' };
  const attempt = (job.plan?.attempt ?? 0) + 1;
  const startedAt = await beginOneStep(trx, job, { plan: { attempt }, totalCount: null });
  if (startedAt === null) return { kind: 'held', siteId: job.site_id };
  return { kind: 'begun', attempt: { ...payload, job, startedAt, attempt } };
}

/** Locks the job's row. @returns whether the attempt is still current */
async function lockAttempt(trx: Knex.Transaction, { attempt, ...payload }: ExportAttempt): Promise<boolean> {
  const job = await lockExport(trx, payload);
  return job?.plan?.attempt === attempt;
}

async function lockExport(trx: Knex.Transaction, payload: StepPayload): Promise<ExportJob | undefined> {
  const row = await lockJobStep(trx, payload, 'export');
  return row === undefined ? undefined : parseJob(EXPORT_JOBS, row);
}

// Executes an export. Each attempt starts over, so that exactly one complete file remains.

type ExportOutcome = { readonly kind: 'ended' | 'stale' } | { readonly kind: 'held'; readonly siteId: number };

const POLL_EVERY_MS = 1_000;

/** @param signal aborts the export; the next attempt removes what this one leaves in the store */
export async function runExportJob(
  services: ExportServices,
  payload: StepPayload,
  signal: AbortSignal,
): Promise<ExportOutcome> {
  const { db, fileStore } = services;
  const begun = await withRetries(db, (trx) => beginExport(trx, payload));
  if (begun.kind !== 'begun') return begun;
  const { attempt } = begun;
  services.logger?.info({ jobId: payload.jobId, type: attempt.job.type }, 'a job has begun');
  const key = exportKey(payload.jobId, attempt.attempt);
  for (const leftover of keysOfAttempts(payload.jobId, attempt.attempt - 1)) await fileStore.remove(leftover);
  const written = await write(services, attempt, key, signal);
  if (written.kind === 'stale') return written;
  const ended = await record(services, attempt, key, written);
  if (!ended) await fileStore.remove(key);
  return { kind: ended ? 'ended' : 'stale' };
}

type Written =
  | { readonly kind: 'written'; readonly rows: number }
  | { readonly kind: 'refused'; readonly refusal: ExportRefused }
  /** The job was cancelled meanwhile, or another attempt has taken it over. */
  | { readonly kind: 'stale' };

async function write(
  services: ExportServices,
  attempt: ExportAttempt,
  key: string,
  signal: AbortSignal,
): Promise<Written> {
  const { job } = attempt;
  const site = { siteId: job.site_id, channel: job.channel };
  const watch = watchAttempt(services.db, attempt);
  try {
    const signals = AbortSignal.any([signal, watch.stale]);
    return { kind: 'written', rows: await writeExport(services, site, job.options, key, signals, watch) };
  } catch (error) {
    if (error instanceof ExportRefused) return { kind: 'refused', refusal: error };
    if (watch.stale.aborted && !signal.aborted) return { kind: 'stale' };
    throw error;
  } finally {
    await watch.stop();
  }
}

/** Records the file and the end of the job, in one transaction. @returns false when the attempt is no longer current */
async function record(
  { db, fileStore, endJob: end }: ExportServices,
  attempt: ExportAttempt,
  key: string,
  written: Exclude<Written, { kind: 'stale' }>,
): Promise<boolean> {
  return withRetries(db, async (trx) => {
    if (!(await lockAttempt(trx, attempt))) return false;
    const { job, startedAt } = attempt;
    if (written.kind === 'refused') {
      const { reason, message } = written.refusal;
      await end(trx, job.id, { status: 'REJECTED', reason, statusMessage: message });
      return true;
    }
    // A later attempt removes the files of earlier ones; that of the current attempt has to be there.
    const bytes = await fileStore.requireSize(key);
    const spec = job.options;
    const { type, name, contentType } = fileOf(spec, startedAt);
    const id = newId();
    await trx('file').insert({
      ...{ id, site_id: job.site_id, type, name, locale: spec.formatting.locale, status: 'UPLOADED', bytes },
      ...{ storage_key: key, content_type: contentType, job_id: job.id, uploaded_at: trx.fn.now() },
    });
    const { rows } = written;
    await recordProgress(trx, attempt, { outputFileId: id, totalCount: rows, processedCount: rows });
    await end(trx, job.id, { status: 'COMPLETED', statusMessage: notFound(spec, rows) });
    return true;
  });
}

/** A message about records that the request named and the file lacks; without it, clients might not notice. */
function notFound({ named }: ExportSpec, rows: number): string | undefined {
  if (named === null || rows >= named) return undefined;
  return `${named - rows} of the ${named} named were not found, or are not visible in this site context`;
}

interface AttemptWatch {
  /** Aborts when the attempt is no longer current. */
  readonly stale: AbortSignal;
  begun(estimate: number, backendPid: number): void;
  stop(): Promise<void>;
}

/** Records the progress of an attempt at intervals, and thereby notices when it is no longer current. */
function watchAttempt(db: Db, attempt: ExportAttempt): AttemptWatch {
  const stale = new AbortController();
  let estimate: number | null = null;
  let backendPid: number | null = null;
  let polling: Promise<void> = Promise.resolve();

  async function poll(): Promise<void> {
    const rows = backendPid === null ? null : await rowsCopied(db, backendPid);
    const progress = {
      ...(estimate === null ? {} : { totalCount: Math.max(estimate, rows ?? 0) }),
      ...(rows === null ? {} : { processedCount: rows }),
    };
    const isCurrent = await recordProgress(db, attempt, progress, { attempt: attempt.attempt });
    if (!isCurrent) stale.abort(new Error('the export was cancelled, or is written by another worker'));
  }

  // A failed poll does not fail the export; the next one may succeed.
  const timer = setInterval(() => {
    polling = polling.then(poll).catch(() => undefined);
  }, POLL_EVERY_MS);
  return {
    stale: stale.signal,
    begun: (rows, pid) => {
      estimate = rows;
      backendPid = pid;
    },
    stop: () => {
      clearInterval(timer);
      return polling;
    },
  };
}

// The name and the content type of the file that an export writes.

interface NamedFile {
  readonly type: string;
  readonly name: string;
  readonly contentType: string;
}

/** The name is such as `item-export-de-2026-01-31T09-30-00Z.csv.gz`. */
function fileOf({ entity, formatting }: ExportSpec, startedAt: Date): NamedFile {
  const type = EXPORT_TYPES[entity];
  const parts = [
    type.toLowerCase().replace('_', '-'),
    ...(formatting.locale === null ? [] : [formatting.locale]),
    timeIn(startedAt),
  ];
  return {
    type,
    name: `${parts.join('-')}.${endingOf(formatting)}`,
    contentType: writtenContentTypeOf({ format: namedFormat(formatting), gzip: formatting.gzip }),
  };
}

/** The time without colons, which some systems do not allow in file names. */
function timeIn(instant: Date): string {
  return `${instant.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

function endingOf(formatting: ExportFormatting): string {
  const [ending] = FILE_FORMATS[namedFormat(formatting)].extensions;
  return formatting.gzip ? `${ending}.gz` : ending;
}

/** CSV with tabs is named TSV. */
function namedFormat({ format, delimiter }: ExportFormatting): SourceFormat {
  return format === 'CSV' && delimiter === FILE_FORMATS.TSV.delimiter ? 'TSV' : format;
}
