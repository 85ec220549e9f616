/** Executes an export. Each attempt starts over, so that exactly one complete file remains. */

import { rowsCopied } from '../../../db/copy-out.js';
import { withRetries } from '../../../db/with-retries.js';
import type { StepPayload } from '../../queues/define-queue.js';
import { type AttemptOutcome, type AttemptServices, beginAttempt, type StepAttempt } from '../jobs/attempts.js';
import { endJob } from '../jobs/end-job.js';
import { recordProgress } from '../jobs/single-step.js';
import { newId } from '../kernel/identifier.js';
import { EXPORT_JOBS, type ExportJob, exportKey, keysOfAttempts } from './model/export-job.js';
import type { ExportSpec } from './model/export-spec.js';
import { fileOf } from './run/export-file.js';
import { publishExport } from './run/publish-export.js';
import { type WriteServices, type WrittenFile, writeExport } from './run/write-export.js';
import { ExportRefused } from './write/export-refused.js';

type ExportServices = WriteServices & AttemptServices;

/** @param signal aborts the export; the next attempt removes what this one leaves in the store */
export async function runExportJob(
  services: ExportServices,
  payload: StepPayload,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { fileStore } = services;
  const begun = await beginAttempt(services, EXPORT_JOBS, payload, 'export');
  if (begun.kind !== 'begun') return begun;
  const { attempt } = begun;
  const key = exportKey(payload.jobId, attempt.attempt);
  for (const leftover of keysOfAttempts(payload.jobId, attempt.attempt - 1)) await fileStore.remove(leftover);
  const written = await write(services, attempt, key, signal);
  if (written.kind === 'stale') return written;
  const ended = await record(services, attempt, key, written);
  if (!ended) await fileStore.remove(key);
  return { kind: ended ? 'ended' : 'stale' };
}

type ExportAttempt = StepAttempt<ExportJob>;

type Written =
  | { readonly kind: 'written'; readonly file: WrittenFile }
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
  let estimate: number | null = null;
  let backendPid: number | null = null;
  const watch = attempt.watch(services.db, async () => {
    const rows = backendPid === null ? null : await rowsCopied(services.db, backendPid);
    return {
      ...(estimate === null ? {} : { totalCount: Math.max(estimate, rows ?? 0) }),
      ...(rows === null ? {} : { processedCount: rows }),
    };
  });
  const listener = {
    begun: (rows: number, pid: number) => {
      estimate = rows;
      backendPid = pid;
    },
  };
  try {
    const signals = AbortSignal.any([signal, watch.stale]);
    return { kind: 'written', file: await writeExport(services, site, job.options, key, signals, listener) };
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
  { db, fileStore }: ExportServices,
  attempt: ExportAttempt,
  key: string,
  written: Exclude<Written, { kind: 'stale' }>,
): Promise<boolean> {
  return withRetries(db, async (trx) => {
    if (!(await attempt.lock(trx))) return false;
    const { job, startedAt } = attempt;
    if (written.kind === 'refused') {
      const { reason, message } = written.refusal;
      await endJob(trx, job.id, { status: 'REJECTED', reason, statusMessage: message });
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
    const { rows, leftOut, warnings, whyWhole } = written.file;
    const plan = whyWhole === null ? {} : { plan: { whyWhole } };
    await recordProgress(trx, attempt, { outputFileId: id, totalCount: rows, processedCount: rows, warnings, ...plan });
    const { publishedFileId } = spec;
    const publication = { fileId: id, jobId: job.id, rows, readAt: startedAt };
    const said = [
      whyWhole === null ? undefined : `the file is whole: ${whyWhole}`,
      notFound(spec, rows + leftOut),
      publishedFileId === undefined ? undefined : await publishExport(trx, { publishedFileId, ...publication }),
    ].filter((one) => one !== undefined);
    await endJob(trx, job.id, { status: 'COMPLETED', statusMessage: said.length === 0 ? undefined : said.join('; ') });
    return true;
  });
}

/** A message about records that the request named and the file lacks; without it, clients might not notice. */
function notFound({ named }: ExportSpec, rows: number): string | undefined {
  if (named === null || rows >= named) return undefined;
  return `${named - rows} of the ${named} named were not found, or are not visible in this site context`;
}
