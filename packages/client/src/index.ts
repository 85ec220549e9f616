/** A typed client of Longshore: every operation of the API, and what most programs do with them. */
import { type BulkOperation, type BulkOptions, type BulkResult, type BulkRow, bulk } from './bulk.js';
import {
  type ChangePage,
  type FollowOptions,
  followChanges,
  itemHistory,
  type JobChangeFilter,
  jobChanges,
} from './changes.js';
import { compare, type PromoteOptions, promote } from './compare-stages.js';
import { type ExportRequest, type ExportResult, exportStage, exportTo } from './export-to.js';
import type { FileReading } from './file-reading.js';
import type { Change, FileInspection, Job, JobError } from './generated/types.js';
import { type HeldFile, type HoldOptions, holdFile, inspectFile } from './held-file.js';
import { download, type ImportFileOptions, type ImportResult, importFile } from './import-file.js';
import { importOwnFile, isProposed } from './import-own-file.js';
import {
  type ApproveOptions,
  approve,
  jobErrors,
  type RevertOptions,
  revert,
  type WaitOptions,
  waitForJob,
} from './jobs.js';
import { type Operations, operationsOf } from './operations.js';
import { type ProfileHelpers, profileHelpers } from './profiles.js';
import type { CallOptions, ClientOptions, SiteContext } from './transport.js';
import type { FileSource } from './upload-file.js';

export type { BulkOperation, BulkOptions, BulkProgress, BulkResult, BulkRow, FailedRow } from './bulk.js';
export type { ChangeFilter, ChangePage, FollowOptions, JobChangeFilter } from './changes.js';
export {
  type Accepted,
  accepted,
  type Decisions,
  decide,
  decisionsBeside,
  type OpenQuestion,
  openQuestions,
  otherReading,
} from './decide.js';
export { LongshoreError, type Problem } from './error.js';
export type { ExportRequest, ExportResult } from './export-to.js';
export type { FileReading } from './file-reading.js';
export type * as schemas from './generated/types.js';
export type { Attribute, CategoryTree, EventLog, Item, Job, JobError } from './generated/types.js';
export type { HeldFile, HoldOptions } from './held-file.js';
export { newIdempotencyKey } from './idempotency-key.js';
export type { ImportFileOptions, ImportProgress, ImportResult } from './import-file.js';
export type { ApproveOptions, RevertOptions, WaitOptions } from './jobs.js';
export type { AnswerOf, InputOf, OperationName, Operations } from './operations.js';
export type { ProfileHelpers } from './profiles.js';
export type { CallOptions, ClientOptions, SiteContext } from './transport.js';
export type { FileSource, UploadCut } from './upload-file.js';
export { type WebhookEvent, webhooks } from './webhooks.js';

/** An archive has no options but these. */
export type StageImportOptions = Pick<
  ImportFileOptions,
  'fileName' | 'dryRun' | 'idempotencyKey' | 'resume' | 'onProgress' | 'site' | 'signal'
> & { readonly options?: { readonly requireApproval?: boolean } };

interface Helpers {
  /** The same client with other keys in its site context: `client.at({ stage: 'test' })`. */
  at(site: Partial<SiteContext>): LongshoreClient;
  /** Announces a file, uploads it as a stream, waits for its job, and answers the result. @throws LongshoreError */
  importFile(file: FileSource | Blob | Uint8Array | string, options?: ImportFileOptions): Promise<ImportResult>;
  /** Uploads a file that is imported only when you say how: `held.import(…)`. @throws LongshoreError */
  hold(file: FileSource | Blob | Uint8Array | string, options?: HoldOptions): Promise<HeldFile>;
  /** Says how a file is written and what its columns hold; nothing of it is kept. @throws LongshoreError */
  inspect(
    file: FileSource | Blob | Uint8Array | string,
    options?: HoldOptions & { readonly reading?: FileReading },
  ): Promise<FileInspection>;
  /** Reads and changes the profiles by which files of your own are imported. */
  readonly profiles: ProfileHelpers;
  /**
   * Sends any number of rows, split into requests that the API accepts, with idempotency keys, and repeated after
   * Retry-After. What `deleteItems` is given are SKUs.
   * @throws LongshoreError when a request is refused; not for rows that failed
   */
  bulk<N extends BulkOperation>(
    operation: N,
    rows: Iterable<BulkRow<N>> | AsyncIterable<BulkRow<N>>,
    options?: BulkOptions,
  ): Promise<BulkResult>;
  /** Exports a part of the catalog to a stream. @throws LongshoreError */
  exportTo(
    request: ExportRequest,
    destination: WritableStream<Uint8Array>,
    options?: WaitOptions,
  ): Promise<ExportResult>;
  /** Exports a whole stage to a stream, as one archive. @throws LongshoreError */
  exportStage(destination: WritableStream<Uint8Array>, options?: WaitOptions): Promise<ExportResult>;
  /**
   * Imports the archive of a stage, as a whole or not at all. Into a stage that is not empty it waits for an approval
   * (`outcome: 'waits'`). @throws LongshoreError
   */
  importStage(file: FileSource | Blob | Uint8Array, options?: StageImportOptions): Promise<ImportResult>;
  /** Waits until a job has ended, whatever its outcome, or waits for an approval. @throws LongshoreError */
  waitForJob(id: string, options?: WaitOptions): Promise<Job>;
  /** Approves a job that waits for it, and waits for its end. `rejectJob` rejects it. @throws LongshoreError */
  approve(id: string, options?: ApproveOptions): Promise<Job>;
  /** Takes back what jobs have changed, and waits for the job that does so. @throws LongshoreError */
  revert(jobIds: string | readonly string[], options?: RevertOptions): Promise<Job>;
  /** Compares the items of the stage with those of another one; the changes of the job are what differs. @throws LongshoreError */
  compare(stage: string, options?: WaitOptions): Promise<Job>;
  /** Carries over what a comparison has found: all, or the items with some SKUs. @throws LongshoreError */
  promote(compareJobId: string, options?: PromoteOptions): Promise<Job>;
  /** All errors of a job's rows; pages are fetched as they are needed. */
  jobErrors(id: string, options?: Pick<CallOptions, 'site' | 'signal'>): AsyncGenerator<JobError, void, undefined>;
  /** All changes of a job, or what a dry run would have changed; pages are fetched as they are needed. */
  jobChanges(
    id: string,
    options?: Partial<JobChangeFilter> & Pick<CallOptions, 'site' | 'signal'>,
  ): AsyncGenerator<Change, void, undefined>;
  /** The changes of a stage as they are committed, a page at a time; keep the cursor of each to go on after it. */
  followChanges(options?: FollowOptions): AsyncGenerator<ChangePage, void, undefined>;
  /** The changes of an item, newest first. */
  itemHistory(sku: string, options?: Pick<CallOptions, 'site' | 'signal'>): AsyncGenerator<Change, void, undefined>;
  /** The bytes of a file: an export or an error file. @throws LongshoreError */
  download(fileId: string, options?: Pick<CallOptions, 'site' | 'signal'>): Promise<Response>;
}

export interface LongshoreClient extends Operations, Helpers {}

/** A client of the system at `baseUrl`, for the account of the token. */
export function createClient(options: ClientOptions): LongshoreClient {
  const api = operationsOf(options);
  const helpers: Helpers = {
    at: (site) => createClient({ ...options, site: { account: '', ...options.site, ...site } }),
    importFile: (file, given = {}) => {
      const { profile, missing: _, ...others } = given;
      const isDocument = typeof profile === 'object' && profile !== null;
      if (isDocument || !isProposed(given)) return importFile(options, api, file, given);
      return importOwnFile(options, api, file, { ...others, profile: profile ?? undefined });
    },
    hold: (file, given) => holdFile(options, api, file, given),
    inspect: async (file, given) => inspectFile(await holdFile(options, api, file, given), given?.reading),
    profiles: profileHelpers(api),
    bulk: (operation, rows, given) => bulk(api, operation, rows, given),
    exportTo: (request, destination, given) => exportTo(options, api, request, destination, given),
    exportStage: (destination, given) => exportStage(options, api, destination, given),
    importStage: (file, given) =>
      importFile(options, api, file, { fileName: 'stage.zip', ...given, type: 'SITE_IMPORT' }),
    waitForJob: (id, given) => waitForJob(api, id, given),
    approve: (id, given) => approve(api, id, given),
    revert: (jobIds, given) => revert(api, jobIds, given),
    compare: (stage, given) => compare(api, stage, given),
    promote: (compareJobId, given) => promote(api, compareJobId, given),
    jobErrors: (id, given) => jobErrors(api, id, given),
    jobChanges: (id, given) => jobChanges(api, id, given),
    followChanges: (given) => followChanges(api, given),
    itemHistory: (sku, given) => itemHistory(api, sku, given),
    download: (fileId, given) => download(options, api, fileId, given),
  };
  return { ...api, ...helpers };
}
