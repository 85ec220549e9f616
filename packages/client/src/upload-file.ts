/** Uploads an announced file as a stream, again if it was cut on its way. */
import { LongshoreError } from './error.js';
import type { AnnouncedFile } from './generated/types.js';
import type { Operations } from './operations.js';
import { type CallOptions, type ClientOptions, pause, sendRequest } from './transport.js';

/** Bytes that can be read more than once, because an upload that was cut is sent again. */
export interface FileSource {
  readonly name?: string | undefined;
  /** The number of bytes. */
  readonly size: number;
  open(): ReadableStream<Uint8Array>;
}

/** How many bytes have arrived, and for which job. */
export interface UploadProgress {
  readonly jobId: string;
  readonly uploadedBytes: number;
  readonly totalBytes: number;
  /** Why this is not the first upload of the file; undefined: it is. */
  readonly cut?: UploadCut;
}

/** An upload that was cut. It begins again at its start, because nothing is kept of a part. */
export interface UploadCut {
  /** What was answered, or that nothing was. */
  readonly error: LongshoreError;
  /** Which upload of the file is under way, or begins soon: 2 after the first was cut. */
  readonly attempt: number;
  /** After how many the file is given up. */
  readonly attempts: number;
}

interface UploadOptions extends Pick<CallOptions, 'site' | 'signal' | 'idempotencyKey'> {
  readonly onUpload?: ((progress: UploadProgress) => void) | undefined;
}

/** How often an upload is sent again that was cut. */
const UPLOADS = 5;
const FIRST_PAUSE_MS = 500;
/** A browser says when it has a connection again; what it says may be wrong. */
const OFFLINE_PAUSE_MS = 30_000;
const REPORT_BYTES = 262_144;

/** Uploads the file, and says so where the system would notice it late. @throws LongshoreError */
export async function uploadFile(
  client: ClientOptions,
  api: Operations,
  source: FileSource,
  file: AnnouncedFile,
  options: UploadOptions,
): Promise<void> {
  const { site, signal } = options;
  await upload(client, api, source, file, options);
  if (!isOfSystem(client, file.location)) await sayUploaded(api, file, { site, signal });
}

/** Sends the bytes, again if they were cut on their way. A file that is uploaded already is left as it is. */
async function upload(
  client: ClientOptions,
  api: Operations,
  source: FileSource,
  file: AnnouncedFile,
  { site, signal, onUpload, idempotencyKey }: UploadOptions,
): Promise<void> {
  const isUploaded = async () => (await api.getFile({ id: file.id }, { site, signal })).status === 'UPLOADED';
  // The announcement may be the answer to an earlier call.
  if (idempotencyKey !== undefined && (await isUploaded())) return;
  const { jobId } = file;
  let cut: UploadCut | undefined;
  const report = (uploadedBytes: number) =>
    onUpload?.({ jobId, uploadedBytes, totalBytes: source.size, ...(cut === undefined ? {} : { cut }) });
  for (let attempt = 1; ; attempt++) {
    report(0);
    try {
      // The answer may have been lost, not the bytes.
      if (attempt > 1 && (await isUploaded())) return;
      const response = await sendRequest(client, file.location, uploadOf(source, report, signal), {
        name: 'PUT to the upload address',
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
      cut = { error, attempt: attempt + 1, attempts: UPLOADS };
      report(0);
      const pauseMs = Math.max(FIRST_PAUSE_MS * 2 ** (attempt - 1), (error.retryAfterSeconds ?? 0) * 1000);
      await (globalThis.navigator?.onLine === false ? whenOnline(signal) : pause(pauseMs, signal));
    }
  }
}

/** Waits until the browser has a connection again, or for a while. */
async function whenOnline(signal: AbortSignal | undefined): Promise<void> {
  const stop = new AbortController();
  const end = () => stop.abort();
  signal?.addEventListener('abort', end, { once: true });
  globalThis.addEventListener?.('online', end, { once: true });
  try {
    await pause(OFFLINE_PAUSE_MS, stop.signal);
  } catch {
    signal?.throwIfAborted();
  } finally {
    signal?.removeEventListener('abort', end);
    globalThis.removeEventListener?.('online', end);
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

export function sourceOf(input: FileSource | Blob | Uint8Array | string): FileSource {
  if (input instanceof Blob) return new BlobSource(input);
  if (typeof input === 'string' || input instanceof Uint8Array) return new BlobSource(new Blob([input as BlobPart]));
  return input;
}
