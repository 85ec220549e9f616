/** Imports a file: announces it, uploads it as a stream, waits for its job, and answers the result. */
import { LongshoreError } from './error.js';
import type { AnnouncedFile, AnnounceFileRequest, Job, JobError } from './generated/types.js';
import { jobErrors, waitForJob } from './jobs.js';
import type { Operations } from './operations.js';
import { type CallOptions, type ClientOptions, pause, sendRequest } from './transport.js';

/** Bytes that can be read more than once, because an upload that was cut is sent again. */
export interface FileSource {
  readonly name?: string | undefined;
  /** The number of bytes. */
  readonly size: number;
  open(): ReadableStream<Uint8Array>;
}

type FileOptions = NonNullable<AnnounceFileRequest['options']>;

export interface ImportProgress {
  /** `job`: the file is uploaded. */
  readonly phase: 'upload' | 'job';
  readonly jobId: string;
  readonly uploadedBytes: number;
  readonly totalBytes: number;
  /** The job as it is, once it was asked for. */
  readonly job?: Job;
}

export interface ImportFileOptions extends Pick<CallOptions, 'site' | 'signal'> {
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
  /** `applied`: every row; `partly`: some rows failed; `refused`: nothing was applied. */
  readonly outcome: 'applied' | 'partly' | 'refused';
  /** The errors of all rows; pages are fetched as they are needed. */
  errors(): AsyncGenerator<JobError, void, undefined>;
  /** The file with the failed rows, to be corrected and imported again; undefined: no row failed. */
  errorFile(): Promise<Response | undefined>;
}

/** How often an upload is sent again that was cut. */
const UPLOADS = 5;
const FIRST_PAUSE_MS = 500;
const REPORT_BYTES = 262_144;

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
  await upload(client, api, source, file, options);
  if (!isOfSystem(client, file.location)) await sayUploaded(api, file, call);
  const { onProgress } = options;
  const uploaded = { phase: 'job', jobId: file.jobId, uploadedBytes: source.size, totalBytes: source.size } as const;
  onProgress?.(uploaded);
  const job = await waitForJob(api, file.jobId, {
    ...call,
    onProgress: onProgress === undefined ? undefined : (job) => onProgress({ ...uploaded, job }),
  });
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

function announce(api: Operations, source: FileSource, options: ImportFileOptions): Promise<AnnouncedFile> {
  const fileName = options.fileName ?? source.name;
  if (fileName === undefined) throw new TypeError('name the file: { fileName: "items.csv" }, its ending is its format');
  const { site, signal, idempotencyKey, retryOf, dryRun, type = 'ITEM_IMPORT' } = options;
  const given = { ...options.options, ...(dryRun === undefined ? {} : { validateOnly: dryRun }) };
  const body = { fileName, fileType: type, options: given, ...(retryOf === undefined ? {} : { retryOf }) };
  return api.announceFile({ body }, { site, signal, idempotencyKey });
}

/** Sends the bytes, again if they were cut on their way. A file that is uploaded already is left as it is. */
async function upload(
  client: ClientOptions,
  api: Operations,
  source: FileSource,
  file: AnnouncedFile,
  { site, signal, onProgress, idempotencyKey }: ImportFileOptions,
): Promise<void> {
  const isUploaded = async () => (await api.getFile({ id: file.id }, { site, signal })).status === 'UPLOADED';
  // The announcement may be the answer to an earlier call.
  if (idempotencyKey !== undefined && (await isUploaded())) return;
  const { jobId } = file;
  const report = (uploadedBytes: number) =>
    onProgress?.({ phase: 'upload', jobId, uploadedBytes, totalBytes: source.size });
  for (let attempt = 1; ; attempt++) {
    report(0);
    try {
      const name = 'PUT to the upload address';
      const response = await sendRequest(client, file.location, uploadOf(source, report, signal), {
        name,
        retries: 0,
        isSafe: true,
      });
      await response.body?.cancel();
      report(source.size);
      return;
    } catch (error) {
      if (!(error instanceof LongshoreError)) throw error;
      if (error.status === 409 && (await isUploaded())) return;
      const wasCut = error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500;
      if (!wasCut || attempt === UPLOADS) throw error;
      await pause(Math.max(FIRST_PAUSE_MS * 2 ** (attempt - 1), (error.retryAfterSeconds ?? 0) * 1000), signal);
      // The answer may have been lost, not the bytes.
      if (await isUploaded()) return;
    }
  }
}

/** False where it cannot be told, as with a base address without an origin: to say an upload once more does no harm. */
function isOfSystem({ baseUrl }: ClientOptions, address: string): boolean {
  return URL.canParse(address) && URL.canParse(baseUrl) && new URL(address).origin === new URL(baseUrl).origin;
}

/** The system is not told of uploads to a store: it would notice this one, but not at once. */
async function sayUploaded(
  api: Operations,
  { id }: AnnouncedFile,
  call: Pick<CallOptions, 'site' | 'signal'>,
): Promise<void> {
  try {
    await api.completeUpload({ id }, call);
  } catch (error) {
    // The job tells what is wrong, and the upload is noticed later anyway.
    if (!(error instanceof LongshoreError)) throw error;
  }
}

function uploadOf(source: FileSource, report: (bytes: number) => void, signal: AbortSignal | undefined): RequestInit {
  const common = { method: 'PUT', ...(signal === undefined ? {} : { signal }) };
  // Browsers send streams over HTTP/2 only, and do not let a program say how long they are.
  if (source instanceof BlobSource && !SENDS_STREAMS) return { ...common, body: source.blob };
  const streamed = { duplex: 'half', body: source.open().pipeThrough(counted(report)) };
  return { ...common, ...streamed, headers: { 'Content-Length': String(source.size) } };
}

const SENDS_STREAMS = 'process' in globalThis;

/** Passes bytes on, and reports now and then how many there were. */
function counted(report: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let sent = 0;
  let reported = 0;
  return new TransformStream({
    transform(chunk, controller) {
      sent += chunk.byteLength;
      if (sent - reported >= REPORT_BYTES) {
        reported = sent;
        report(sent);
      }
      controller.enqueue(chunk);
    },
  });
}

class BlobSource implements FileSource {
  readonly name: string | undefined;
  readonly size: number;

  constructor(readonly blob: Blob) {
    this.size = blob.size;
    this.name = 'name' in blob && typeof blob.name === 'string' ? blob.name : undefined;
  }

  open(): ReadableStream<Uint8Array> {
    return this.blob.stream();
  }
}

function sourceOf(input: FileSource | Blob | Uint8Array | string): FileSource {
  if (input instanceof Blob) return new BlobSource(input);
  if (typeof input === 'string' || input instanceof Uint8Array) return new BlobSource(new Blob([input as BlobPart]));
  return input;
}

function outcomeOf({ status, progressTracker: { errorCount } }: Job): ImportResult['outcome'] {
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
