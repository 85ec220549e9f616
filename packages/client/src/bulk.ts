/** Sends any number of rows as bulk requests, and answers what became of them. */
import { LongshoreError } from './error.js';
import type { RowError } from './generated/types.js';
import { newIdempotencyKey } from './idempotency-key.js';
import { waitForJob } from './jobs.js';
import type { AnswerOf, InputOf, OperationName, Operations } from './operations.js';
import type { CallOptions } from './transport.js';

/** The operations whose body is a list of rows, and the one whose body is a list of SKUs. */
export type BulkOperation = ListOperation | 'deleteItems';

type ListOperation = Extract<
  OperationName,
  'createAttributes' | 'upsertCategories' | 'insertItems' | 'upsertItems' | 'updateItems'
>;

/** What one row of an operation is: an item that is deleted is its SKU. */
export type BulkRow<N extends BulkOperation> = N extends ListOperation ? InputOf<N>['body'][number] : string;

export interface BulkProgress {
  /** How many rows were sent and executed. */
  readonly rows: number;
  readonly failed: number;
}

export interface BulkOptions extends Pick<CallOptions, 'site' | 'signal'> {
  /**
   * Calls with the same key and the same rows do the work once: each request has the key with its number. Default: a
   * random one, so that requests whose answer is lost are safe.
   */
  readonly idempotencyKey?: string | undefined;
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Each request becomes a job that shows what it would change, and waits until somebody approves it. */
  readonly requireApproval?: boolean | undefined;
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
}

export interface FailedRow {
  /** The place of the row among all that were given; the first is 0. */
  readonly index: number;
  /** The SKU, the name or the path of the row. */
  readonly key: string | null;
  readonly errors: readonly RowError[];
}

export interface BulkResult {
  /** The job of each request. */
  readonly jobIds: readonly string[];
  readonly rows: number;
  readonly failed: readonly FailedRow[];
  /** The jobs that wait for an approval: nothing of them is written yet, and their failed rows are not listed here. */
  readonly awaitingApproval: readonly string[];
}

/** What the API accepts in one request, with room for the brackets. */
const MAX_ROWS = 10_000;
const MAX_BYTES = 30 * 1024 * 1024;
/** The longest time that the API holds an answer back. */
const WAIT_SECONDS = 25;
const MAX_PAGE = 1_000;

/**
 * Sends rows, split into requests that the API accepts, one after the other.
 * @throws LongshoreError when a request is refused; not for rows that failed
 */
export async function bulk<N extends BulkOperation>(
  api: Operations,
  operation: N,
  rows: Iterable<BulkRow<N>> | AsyncIterable<BulkRow<N>>,
  options: BulkOptions = {},
): Promise<BulkResult> {
  const key = options.idempotencyKey ?? newIdempotencyKey();
  const { site, signal, dryRun, requireApproval, onProgress } = options;
  const awaitingApproval: string[] = [];
  const jobIds: string[] = [];
  const failed: FailedRow[] = [];
  let sent = 0;
  for await (const batch of batches(rows)) {
    const input = {
      body: operation === 'deleteItems' ? { skus: batch } : batch,
      ...(dryRun ? { validateOnly: 'true' } : {}),
      ...(requireApproval ? { requireApproval: 'true' } : {}),
    };
    const call = { site, signal, idempotencyKey: `${key}-${jobIds.length}`, wait: WAIT_SECONDS };
    const outcome = await outcomeOf(api, operation, input as unknown as InputOf<BulkOperation>, call);
    jobIds.push(outcome.jobId);
    if (outcome.waits) awaitingApproval.push(outcome.jobId);
    for (const row of outcome.failed) failed.push({ ...row, index: row.index + sent });
    sent += batch.length;
    onProgress?.({ rows: sent, failed: failed.length });
  }
  return { jobIds, rows: sent, failed, awaitingApproval };
}

async function* batches<Row>(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<Row[], void, undefined> {
  let batch: Row[] = [];
  let bytes = 0;
  const encoder = new TextEncoder();
  for await (const row of rows) {
    const size = encoder.encode(JSON.stringify(row)).length + 1;
    if (batch.length === MAX_ROWS || (batch.length > 0 && bytes + size > MAX_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

type BulkAnswer = AnswerOf<BulkOperation>;
interface Outcome {
  readonly jobId: string;
  readonly failed: readonly FailedRow[];
  /** Whether it waits for an approval. */
  readonly waits?: boolean;
}

async function outcomeOf(
  api: Operations,
  operation: BulkOperation,
  input: InputOf<BulkOperation>,
  call: CallOptions,
): Promise<Outcome> {
  try {
    // Each operation has its own type of rows, and the caller's types have checked them.
    const send = api[operation] as (input: object, options: CallOptions) => Promise<BulkAnswer>;
    const answer = await send(input, call);
    if (!('status' in answer)) return { jobId: answer.jobId, failed: failedOf(answer) };
    const { status } = await waitForJob(api, answer.jobId, { site: call.site, signal: call.signal });
    if (status === 'AWAITING_APPROVAL') return { jobId: answer.jobId, failed: [], waits: true };
    return { jobId: answer.jobId, failed: await failedOfPages(api, answer.jobId, call) };
  } catch (error) {
    const jobId = error instanceof LongshoreError ? nothingApplied(error) : undefined;
    if (jobId === undefined) throw error;
    return { jobId, failed: await failedOfPages(api, jobId, call) };
  }
}

/** The job of a request of which no row could be applied: its rows failed, and it was not refused. */
function nothingApplied({ status, code, body, problems }: LongshoreError): string | undefined {
  if (status !== 422 || code !== 'STATUS_ERROR' || problems.length === 0) return undefined;
  return typeof body === 'object' && body !== null && 'jobId' in body ? String(body.jobId) : undefined;
}

async function failedOfPages(
  api: Operations,
  id: string,
  { site, signal }: CallOptions,
): Promise<readonly FailedRow[]> {
  const failed: FailedRow[] = [];
  for (let offset = 0; ; offset += MAX_PAGE) {
    const page = await api.getJobResult({ id, offset, limit: MAX_PAGE }, { site, signal });
    if (!('count' in page)) return failed;
    failed.push(...failedOf(page));
    if (offset + MAX_PAGE >= page.count) return failed;
  }
}

type ResultRows = Exclude<BulkAnswer, { status: string }>;

function failedOf(result: ResultRows): FailedRow[] {
  if ('failed' in result) return result.failed.map(({ index, sku, errors }) => ({ index, key: sku, errors }));
  if ('attributes' in result) {
    return result.attributes.failed.map(({ index, name, errors }) => ({ index, key: name, errors }));
  }
  return result.categories.failed.map(({ index, path, errors }) => ({ index, key: path, errors }));
}
