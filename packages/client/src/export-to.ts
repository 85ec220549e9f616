/** Exports a part of the catalog: starts the job, waits for it, and passes its file on as it arrives. */
import { LongshoreError } from './error.js';
import type {
  ExportMatchingAttributesRequest,
  ExportMatchingCategoriesRequest,
  ExportMatchingItemsRequest,
  Job,
} from './generated/types.js';
import { download } from './import-file.js';
import { type WaitOptions, waitForJob } from './jobs.js';
import type { Operations } from './operations.js';
import type { ClientOptions } from './transport.js';

/** What is exported, and the body of the operation that does it: `match` is required, `format` is CSV by default. */
export type ExportRequest =
  | ({ readonly what: 'items' | 'bundles' } & ExportMatchingItemsRequest)
  | ({ readonly what: 'attributes' } & ExportMatchingAttributesRequest)
  | ({ readonly what: 'categories' } & ExportMatchingCategoriesRequest);

export interface ExportResult {
  readonly job: Job;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Writes the file of an export to a stream, which is closed at the end.
 * @throws LongshoreError with the reason of the job as its code, when the export fails
 */
export function exportTo(
  client: ClientOptions,
  api: Operations,
  { what, ...body }: ExportRequest,
  destination: WritableStream<Uint8Array>,
  options: WaitOptions = {},
): Promise<ExportResult> {
  return writeExport(client, api, { what, start: STARTS[what](api), body }, destination, options);
}

/**
 * Writes the archive of a whole stage to a stream, which is closed at the end: a .zip that `importStage` reads.
 * @throws LongshoreError with the reason of the job as its code, when the export fails
 */
export function exportStage(
  client: ClientOptions,
  api: Operations,
  destination: WritableStream<Uint8Array>,
  options: WaitOptions = {},
): Promise<ExportResult> {
  return writeExport(client, api, { what: 'stage', start: api.exportSite as Start, body: {} }, destination, options);
}

interface StartedExport {
  /** What an error names. */
  readonly what: string;
  readonly start: Start;
  readonly body: object;
}

async function writeExport(
  client: ClientOptions,
  api: Operations,
  { what, start, body }: StartedExport,
  destination: WritableStream<Uint8Array>,
  options: WaitOptions,
): Promise<ExportResult> {
  const { site, signal } = options;
  const { jobId } = await start({ body }, { site, signal });
  const job = await waitForJob(api, jobId, options);
  const [fileId] = job.outputFiles;
  if (job.status !== 'COMPLETED' || fileId === undefined) {
    const why = job.statusMessage ?? job.status;
    throw new LongshoreError(`the export was not written: ${why}`, { code: job.reason ?? job.status, request: what });
  }
  const response = await download(client, api, fileId, { site, signal });
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      controller.enqueue(chunk);
    },
  });
  await (response.body ?? new Blob([]).stream()).pipeThrough(counted).pipeTo(destination);
  return { job, rows: job.progressTracker.totalCount ?? 0, bytes };
}

type Start = (input: { body: object }, options: object) => Promise<{ jobId: string }>;

/** The types of ExportRequest say which body belongs to which operation. */
const STARTS: Readonly<Record<ExportRequest['what'], (api: Operations) => Start>> = {
  items: (api) => api.exportMatchingItems as Start,
  bundles: (api) => api.exportMatchingBundles as Start,
  attributes: (api) => api.exportMatchingAttributes as Start,
  categories: (api) => api.exportMatchingCategories as Start,
};
