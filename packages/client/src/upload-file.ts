/** Uploads an announced file as a stream, and goes on if it was cut on its way. */
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
  /** Bytes [start, end). With it, a large file is sent in parts, and an upload that was cut goes on where it was. */
  openRange?(start: number, end: number): ReadableStream<Uint8Array>;
}

/** How many bytes have arrived, and for which job. */
export interface UploadProgress {
  readonly jobId: string;
  readonly uploadedBytes: number;
  readonly totalBytes: number;
  /** Why this is not the first upload of the file; undefined: it is. */
  readonly cut?: UploadCut;
}

/** An upload that was cut. It goes on by itself. */
export interface UploadCut {
  /** What was answered, or that nothing was. */
  readonly error: LongshoreError;
  /** From which byte it goes on. Undefined: it begins again at its start, because nothing is kept of a file that is sent as a whole. */
  readonly keptBytes: number | undefined;
  /** Which attempt since bytes were kept last is under way, or begins soon: 2 after the first was cut. */
  readonly attempt: number;
  /** After how many the file is given up. Those of a browser that has no connection do not count. */
  readonly attempts: number;
}

interface UploadOptions extends Pick<CallOptions, 'site' | 'signal' | 'idempotencyKey'> {
  readonly resume?: boolean | undefined;
  readonly onUpload?: ((progress: UploadProgress) => void) | undefined;
}

/** How often is tried what was cut. */
const ATTEMPTS = 5;
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
  { site, signal, onUpload, idempotencyKey, resume }: UploadOptions,
): Promise<void> {
  const statusNow = async () => (await api.getFile({ id: file.id }, { site, signal })).status;
  // The announcement may be the answer to an earlier call.
  if (idempotencyKey !== undefined && (await statusNow()) === 'UPLOADED') return;
  const { jobId } = file;
  const partBytes = partBytesOf(source, file);
  let kept = 0;
  let cut: UploadCut | undefined;
  let attempt = 1;
  const report = (uploadedBytes: number) =>
    onUpload?.({ jobId, uploadedBytes, totalBytes: source.size, ...(cut === undefined ? {} : { cut }) });
  const send = async (part?: Part) => {
    const response = await sendRequest(client, file.location, uploadOf(source, report, signal, part), {
      name: 'PUT to the upload address',
      retries: 0,
      isSafe: true,
    });
    const { bytes } = (await response.json().catch(() => ({}))) as { readonly bytes?: number };
    return { bytes, isWhole: response.status !== PART_KEPT };
  };
  const sendParts = async (size: number) => {
    if (cut !== undefined || resume === true) {
      const asked = await send({ start: 0, end: 0 });
      if (asked.isWhole) return;
      kept = asked.bytes ?? 0;
    }
    while (kept < source.size) {
      report(kept);
      const end = Math.min(kept + size, source.size);
      if ((await send({ start: kept, end })).isWhole) return;
      kept = end;
      attempt = 1;
    }
  };
  for (;;) {
    report(kept);
    try {
      // The answer may have been lost, not the bytes.
      if (cut !== undefined && (await statusNow()) === 'UPLOADED') return;
      await (partBytes === undefined ? send() : sendParts(partBytes));
      report(source.size);
      return;
    } catch (error) {
      if (!(error instanceof LongshoreError)) throw error;
      const status = error.status === 409 ? await statusNow() : undefined;
      if (status === 'UPLOADED') return;
      // Another request has sent the part, or the store has lost one.
      const isElsewhere = partBytes !== undefined && status === 'AWAITING_UPLOAD';
      const wasCut = error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500;
      const isOffline = globalThis.navigator?.onLine === false;
      if (!(wasCut || isElsewhere) || (attempt >= ATTEMPTS && !isOffline)) throw error;
      if (!isOffline) attempt++;
      const keptBytes = partBytes === undefined ? undefined : kept;
      cut = { error, keptBytes, attempt: Math.min(Math.max(attempt, 2), ATTEMPTS), attempts: ATTEMPTS };
      report(kept);
      const pauseMs = Math.max(FIRST_PAUSE_MS * 2 ** (attempt - 2), (error.retryAfterSeconds ?? 0) * 1000);
      await (isOffline ? whenOnline(signal) : pause(pauseMs, signal));
    }
  }
}

/** The answer to a part, and to the question what is kept. */
const PART_KEPT = 202;

/** Bytes [start, end) of the file; none: asks how many are kept. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** Undefined: it is sent as a whole, because it is small, or cannot be read in part, or its address takes no parts. */
function partBytesOf(source: FileSource, { partBytes }: AnnouncedFile): number | undefined {
  const canBeParted = source.openRange !== undefined && typeof partBytes === 'number' && source.size > partBytes;
  return canBeParted ? partBytes : undefined;
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

function uploadOf(
  source: FileSource,
  report: (bytes: number) => void,
  signal: AbortSignal | undefined,
  part: Part | undefined,
): RequestInit {
  const common = { method: 'PUT', ...(signal === undefined ? {} : { signal }) };
  const { start, end } = part ?? { start: 0, end: source.size };
  const range = part === undefined ? {} : { 'Content-Range': rangeOf(part, source.size) };
  if (part !== undefined && end === start) return { ...common, headers: range };
  // Browsers send streams over HTTP/2 only, and do not let a program say how long they are.
  if (source instanceof BlobSource && !SENDS_STREAMS) {
    return part === undefined
      ? { ...common, body: source.blob }
      : { ...common, body: source.blob.slice(start, end), headers: range };
  }
  const stream = (part === undefined ? undefined : source.openRange?.(start, end)) ?? source.open();
  const streamed = { duplex: 'half', body: stream.pipeThrough(counted(start, report)) };
  return { ...common, ...streamed, headers: { ...range, 'Content-Length': String(end - start) } };
}

function rangeOf({ start, end }: Part, size: number): string {
  return `bytes ${end === start ? '*' : `${start}-${end - 1}`}/${size}`;
}

const SENDS_STREAMS = 'process' in globalThis;

/** Passes bytes on, and reports now and then how many there were. */
function counted(from: number, report: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let sent = from;
  let reported = from;
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

  openRange(start: number, end: number): ReadableStream<Uint8Array> {
    return this.blob.slice(start, end).stream();
  }
}

export function sourceOf(input: FileSource | Blob | Uint8Array | string): FileSource {
  if (input instanceof Blob) return new BlobSource(input);
  if (typeof input === 'string' || input instanceof Uint8Array) return new BlobSource(new Blob([input as BlobPart]));
  return input;
}
