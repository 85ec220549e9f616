/** Accepts a JSON array as a job: checks all of it, commits, enqueues, and waits for the job if the client asks. */
import type { z } from 'zod';
import { type IdempotentRequest, runOnce } from '../domain/access/accept-once.js';
import { describeJsonFault } from '../domain/formats/json/json-fault.js';
import { type JsonElementRanges, splitJsonArray } from '../domain/formats/json/split-json-array.js';
import { RejectedInput } from '../domain/formats/model/rejected-input.js';
import { requireSnapshot } from '../domain/imports/check-snapshot.js';
import { appliedRows } from '../domain/imports/job-result.js';
import { IMPORT_JOBS } from '../domain/imports/model/import-jobs.js';
import type { ImportOptions } from '../domain/imports/model/import-options.js';
import { type AcceptedType, parseJob } from '../domain/job-model/job-type.js';
import { acceptJob, type InlineInput } from '../domain/jobs/accept-job.js';
import { findJob } from '../domain/jobs/read-job.js';
import { releaseDue } from '../domain/jobs/release-jobs.js';
import { CR, LF, SPACE } from '../domain/kernel/characters.js';
import { DomainError } from '../domain/kernel/errors.js';
import { newId } from '../domain/kernel/identifier.js';
import { Stride } from '../platform/time-slice.js';
import type { OutboxEntry } from '../queues/outbox.js';
import { enqueueEntries } from '../queues/outbox.js';
import { bulkQuery } from './bulk-query.js';
import { checkTargets } from './check-targets.js';
import type { ApiRequest, ApiResponse } from './define-route.js';
import type { EndNotice } from './job-ends.js';
import { neededApproval } from './needed-approval.js';
import { presentOutcome, presentResult } from './presenters/present-outcome.js';
import type { ApiServices } from './services.js';
import { requireRows } from './store-room.js';
import { waitingClient } from './waiting-client.js';

const BULK_MAX_BYTES = 32 * 1024 * 1024;
export const BULK_MAX_ELEMENTS = 10_000;
const MAX_DEPTH = 32;
const ELEMENTS_PER_YIELD = 100;

/** What the endpoints that write rows in bulk have in common. */
export const ofBulk = {
  method: 'POST',
  family: 'catalog',
  auth: { scope: 'catalog:write', orProposing: true },
  siteContext: true,
  query: bulkQuery,
  idempotent: true,
  prefersWait: true,
} as const;

/** A body that is an array of such elements. */
export function bulkBody(elementSchema: z.ZodType, example: readonly unknown[]) {
  return { raw: 'bulk', elementSchema, maxBytes: BULK_MAX_BYTES, maxElements: BULK_MAX_ELEMENTS, example } as const;
}

interface BulkJob {
  /** The job's type as clients see it. */
  readonly type: string;
  readonly jobType: AcceptedType<string, ImportOptions>;
  readonly options: ImportOptions;
  /** Whether the request is an act in the audit log: it then shares its transaction, and not that of other requests. */
  readonly audited?: boolean;
}

/** Accepts the array that is the request's body. */
export async function acceptBulk(
  request: ApiRequest<unknown, unknown, Buffer, true>,
  services: ApiServices,
  bulk: BulkJob,
): Promise<ApiResponse> {
  // The rows of a repeated request are those of the first one.
  if (request.idempotency?.answered != null) return acceptRows(request, services, bulk, NO_ROWS);
  await checkTargets(services.targets, { callbackUrl: bulk.options.callbackUrl });
  const place = { type: bulk.type, path: 'snapshot' };
  const options = await requireSnapshot(services.db, request.site.siteId, place, bulk.options);
  return acceptRows(request, services, { ...bulk, options }, await readArray(request.body));
}

/** Answers 202 with the job's id; with `Prefer: wait`, 200 or 422 with its result if it ends in time. */
export async function acceptRows(
  request: ApiRequest<unknown, unknown, unknown, true>,
  services: ApiServices,
  bulk: BulkJob,
  input: InlineInput,
): Promise<ApiResponse> {
  const { site, idempotency, requestId } = request;
  const { siteId, accountId, channel, traceparent, actor } = site;
  const { audited = false, options: given, ...typed } = bulk;
  const options = idempotency?.answered == null ? (await neededApproval(request, services))(given, null) : given;
  const kind = { ...typed, options };
  const job = { id: newId(), ...kind, siteId, accountId, channel, requestId, traceparent, actor };
  const accepted = { status: 202, body: { jobId: job.id, status: 'SCHEDULED' }, jobId: job.id };
  // What was answered before is answered again, and spends nothing.
  if (idempotency?.answered == null) await requireRows(request, services, input.rowCount);
  const expected = request.preferWaitMs > 0 ? services.jobEnds.expect(job.id) : null;
  try {
    const answer = await accept();
    const jobId = answer.jobId ?? '';
    const client = waitingClient(request, services);
    if (jobId === job.id) {
      const notice = await expected?.wait(client);
      if (notice) return await presentEnd(services, job, input, notice);
    } else if (await services.jobEnds.wait(jobId, client)) {
      // The job of an earlier request with this key, which may have ended long ago.
      return presentOutcome(services, parseJob(IMPORT_JOBS, await findJob(services.db, siteId, jobId)));
    }
    return { status: 202, body: answer.body, headers: { Location: `/jobs/${jobId}` } };
  } finally {
    expected?.forget();
  }

  async function accept() {
    // Without a key, acceptance is one statement and its own transaction: its lock is held only during the commit.
    if (idempotency !== null || audited) return acceptWithKey(idempotency);
    await services.acceptJob(job, input);
    return accepted;
  }

  async function acceptWithKey(key: IdempotentRequest | null) {
    let outboxEntries: OutboxEntry[] = [];
    const { answer, replayed } = await runOnce(services.db, key, async (trx) => {
      if (audited) await request.audit.record(trx, `job/${job.id}`);
      outboxEntries = await acceptJob(trx, job, { kind: 'rows', ...input });
      return accepted;
    });
    // A job behind many others is accepted as held. All of them may have ended since then.
    if (outboxEntries.length === 0 && !replayed) outboxEntries = await releaseDue(services.db, [siteId]);
    await enqueueEntries(services.producer, outboxEntries, services.logger);
    return answer;
  }
}

/** Presents the outcome of a job that has ended. What its rows are need not be read again. */
async function presentEnd(
  services: ApiServices,
  job: BulkJob & { readonly id: string; readonly siteId: number },
  { lines }: InlineInput,
  { outcomes }: EndNotice,
): Promise<ApiResponse> {
  const { id, siteId, jobType, options } = job;
  if (outcomes === null || options.snapshot !== undefined) {
    return presentOutcome(services, parseJob(IMPORT_JOBS, await findJob(services.db, siteId, id)), lines);
  }
  const known = { id, site_id: siteId, jobType };
  return { status: 200, body: await presentResult(known, await appliedRows(services.db, known, lines, outcomes)) };
}

/**
 * Checks every element and puts each on a line of its own, so that the worker does not have to search for them.
 * @throws DomainError that names the place, when the body is not a JSON array of 1 to 10,000 elements
 */
async function readArray(bytes: Buffer): Promise<InlineInput> {
  const { start, end, count } = await split(bytes);
  if (count === 0) throw new DomainError('invalid', 'EMPTY_ARRAY', 'the array is empty; send 1 to 10,000 elements');
  const pretty = bytes.includes('\n') || bytes.includes('\r');
  // Between elements there is a comma at least, in whose place each line ends.
  const lines = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  const stride = new Stride(ELEMENTS_PER_YIELD);
  for (let index = 0, next = stride.next(); index < count; index++) {
    if (index >= next) {
      await stride.pause();
      next = index + stride.next();
    }
    const [from, to] = [start[index] as number, end[index] as number];
    checkElement(bytes.toString('utf8', from, to), index);
    if (index > 0) lines[length++] = LF;
    bytes.copy(lines, length, from, to);
    if (pretty) putOnOneLine(lines, length, length + to - from);
    length += to - from;
  }
  return { lines: lines.subarray(0, length), rowCount: count };
}

const NO_ROWS: InlineInput = { lines: Buffer.alloc(0), rowCount: 0 };

function checkElement(text: string, index: number): void {
  try {
    JSON.parse(text);
  } catch {
    const message = `element ${index} is not JSON: ${describeJsonFault(text)}; nothing was accepted`;
    throw new DomainError('invalid', 'NOT_JSON', message, { problems: [{ index, code: 'NOT_JSON', message }] });
  }
}

/** A raw line end in valid JSON can only be between tokens, where a blank means the same. */
function putOnOneLine(bytes: Buffer, from: number, to: number): void {
  for (let at = from; at < to; at++) if (bytes[at] === LF || bytes[at] === CR) bytes[at] = SPACE;
}

async function split(bytes: Buffer): Promise<JsonElementRanges> {
  try {
    return await splitJsonArray(bytes, { maxElements: BULK_MAX_ELEMENTS, maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    throw new DomainError(error.reason === 'TOO_MANY_ROWS' ? 'too-large' : 'invalid', error.reason, error.message);
  }
}
