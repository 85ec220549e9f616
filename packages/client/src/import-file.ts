/** Imports a file: announces it, uploads it as a stream, waits for its job, and answers the result. */
import type { Decisions } from './decide.js';
import type { FileReading } from './file-reading.js';
import type { AnnouncedFile, AnnounceFileRequest, Job, JobError } from './generated/types.js';
import { jobErrors, waitForJob } from './jobs.js';
import type { Operations } from './operations.js';
import { type CallOptions, type ClientOptions, sendRequest } from './transport.js';
import { type FileSource, sourceOf, type UploadProgress, uploadFile } from './upload-file.js';

type FileOptions = NonNullable<AnnounceFileRequest['options']>;

export interface ImportProgress extends UploadProgress {
  /** `inspection`: the file is uploaded, and the system reads what is in it. `job`: it is imported. */
  readonly phase: 'upload' | 'inspection' | 'job';
  /** The job that inspects or imports the file as it is, once it was asked for. */
  readonly job?: Job;
}

/** What is said of a file before it is uploaded. */
export interface AnnouncementOptions extends Pick<CallOptions, 'site' | 'signal'> {
  /** Its ending names the format. Default: the name of the file. */
  readonly fileName?: string | undefined;
  /** Default: ITEM_IMPORT */
  readonly type?: AnnounceFileRequest['fileType'] | undefined;
  /** How the file is read and applied: `mode`, `onError`, `delimiter`, `dateFormat` and others. */
  readonly options?: FileOptions | undefined;
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The job whose error file this is. Its options are used where `options` leaves them out. */
  readonly retryOf?: string | undefined;
  /**
   * The file is the same, to the byte, as in the earlier call with this idempotency key: what was kept of a large file is not
   * sent again.
   */
  readonly resume?: boolean | undefined;
}

/** Which of what the catalog lacks an import creates before its rows. */
export type CreateMissing = NonNullable<FileOptions['createMissing']>;

export interface ImportFileOptions extends AnnouncementOptions {
  /** The profile that says what the columns of the file are: its name, or a profile itself. `null`: none */
  readonly profile?: FileOptions['profile'] | undefined;
  /**
   * What of what the catalog lacks is created; `true`: all of it. Without `missing`, the file is imported as the system
   * proposes, or as it proposes by the profile of this name.
   */
  readonly createMissing?: boolean | CreateMissing | undefined;
  /** What the catalog lacks, as a proposal lists it. */
  readonly missing?: FileOptions['missing'] | undefined;
  /** How columns are read that can be read in several ways. The file is imported as the system proposes. */
  readonly decide?: Decisions | undefined;
  /** How the file is written, as far as it is known. The file is imported as the system proposes. */
  readonly reading?: FileReading | undefined;
  /**
   * With the key of an earlier call, this one goes on where that one was interrupted: it uploads what is not uploaded,
   * and follows the same job.
   */
  readonly idempotencyKey?: string | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

export interface ImportResult {
  readonly file: AnnouncedFile;
  /** The job when it had ended: `status`, the counts, and the errors by code and column. */
  readonly job: Job;
  /** `applied`: every row; `partly`: some rows failed; `refused`: nothing was applied; `waits`: for an approval. */
  readonly outcome: 'applied' | 'partly' | 'refused' | 'waits';
  /** The errors of all rows; pages are fetched as they are needed. */
  errors(): AsyncGenerator<JobError, void, undefined>;
  /** The file with the failed rows, to be corrected and imported again; undefined: no row failed. */
  errorFile(): Promise<Response | undefined>;
}

/** All kinds of definitions, or none. */
export function allOf(createMissing: boolean | CreateMissing): CreateMissing {
  if (typeof createMissing !== 'boolean') return createMissing;
  return { attributes: createMissing, options: createMissing, categories: createMissing, assignments: createMissing };
}

/** @throws LongshoreError when the file is refused or cannot be uploaded; not for rows that failed */
export async function importFile(
  client: ClientOptions,
  api: Operations,
  input: FileSource | Blob | Uint8Array | string,
  options: ImportFileOptions = {},
): Promise<ImportResult> {
  const source = sourceOf(input);
  const { site, signal } = options;
  const call = { site, signal };
  const file = await announce(api, source, options);
  const { onProgress, idempotencyKey, resume } = options;
  const onUpload = (progress: UploadProgress) => onProgress?.({ phase: 'upload', ...progress });
  await uploadFile(client, api, source, file, { ...call, idempotencyKey, resume, onUpload });
  const uploaded = { phase: 'job', jobId: file.jobId, uploadedBytes: source.size, totalBytes: source.size } as const;
  onProgress?.(uploaded);
  const job = await waitForJob(api, file.jobId, {
    ...call,
    onProgress: onProgress === undefined ? undefined : (job) => onProgress({ ...uploaded, job }),
  });
  return resultOf(client, api, file, job, call);
}

/** What became of a file whose job has ended. */
export function resultOf(
  client: ClientOptions,
  api: Operations,
  file: AnnouncedFile,
  job: Job,
  call: Pick<CallOptions, 'site' | 'signal'>,
): ImportResult {
  return {
    file,
    job,
    outcome: outcomeOf(job),
    errors: () => jobErrors(api, job.id, call),
    errorFile: async () => {
      const [id] = job.errorFiles;
      return id === undefined ? undefined : download(client, api, id, call);
    },
  };
}

interface Announcement extends Omit<ImportFileOptions, 'decide' | 'reading' | 'onProgress'> {
  readonly idempotencyKey?: string | undefined;
  /** Keeps the file until it is said how to import it. */
  readonly hold?: boolean;
}

/** @throws LongshoreError when the file is refused */
export function announce(api: Operations, source: FileSource, options: Announcement): Promise<AnnouncedFile> {
  const fileName = options.fileName ?? source.name;
  if (fileName === undefined) throw new TypeError('name the file: { fileName: "items.csv" }, its ending is its format');
  const { site, signal, idempotencyKey, retryOf, dryRun, hold, type = 'ITEM_IMPORT' } = options;
  const { profile, createMissing, missing } = options;
  const given = {
    ...options.options,
    ...(dryRun === undefined ? {} : { validateOnly: dryRun }),
    ...(profile === undefined ? {} : { profile }),
    ...(createMissing === undefined ? {} : { createMissing: allOf(createMissing) }),
    ...(missing === undefined ? {} : { missing }),
  };
  const body = {
    fileName,
    fileType: type,
    options: given,
    ...(hold === undefined ? {} : { hold }),
    ...(retryOf === undefined ? {} : { retryOf }),
  };
  return api.announceFile({ body }, { site, signal, idempotencyKey });
}

function outcomeOf({ status, progressTracker: { errorCount } }: Job): ImportResult['outcome'] {
  if (status === 'AWAITING_APPROVAL') return 'waits';
  if (status === 'COMPLETED') return errorCount > 0 ? 'partly' : 'applied';
  return status === 'COMPLETED_PARTIALLY' ? 'partly' : 'refused';
}

/** The bytes of a file. Its address is signed and needs no token. @throws LongshoreError */
export async function download(
  client: ClientOptions,
  api: Operations,
  id: string,
  { site, signal }: Pick<CallOptions, 'site' | 'signal'> = {},
): Promise<Response> {
  const { location } = await api.getDownloadUrl({ id }, { site, signal });
  const init = signal === undefined ? {} : { signal };
  return sendRequest(client, location, init, { name: 'GET of the download address', retries: 2, isSafe: true });
}
