/** Holds a file: it is uploaded and not imported yet, so that it can be inspected first. */
import { awaitAnswer } from './await-answer.js';
import type { AnnouncedFile, FileInspection, ImportHeldFileRequest, Job } from './generated/types.js';
import { type AnnouncementOptions, announce, type ImportResult, resultOf } from './import-file.js';
import { waitForJob } from './jobs.js';
import type { Operations } from './operations.js';
import type { CallOptions, ClientOptions } from './transport.js';
import { type FileSource, sourceOf, type UploadProgress, uploadFile } from './upload-file.js';

export interface HoldProgress extends UploadProgress {
  /** `inspection`: the file is uploaded, and read by the system. `job`: it is imported. */
  readonly phase: 'upload' | 'inspection' | 'job';
  /** The job that inspects or imports the file as it is, once it was asked for. */
  readonly job?: Job;
}

export interface HoldOptions extends AnnouncementOptions {
  /** With the key of an earlier call, this one goes on where that one was interrupted. */
  readonly idempotencyKey?: string | undefined;
  readonly onProgress?: ((progress: HoldProgress) => void) | undefined;
}

/** A file that is uploaded, and imported only when you say how. Otherwise it is deleted after some days. */
export interface HeldFile {
  readonly file: AnnouncedFile;
  /** How the file is written, what kind of file it is and what its columns hold. @throws LongshoreError */
  inspection(): Promise<FileInspection>;
  /** Imports the file, and waits for the end of its job. @throws LongshoreError when that is refused */
  import(request?: ImportHeldFileRequest): Promise<ImportResult>;
  /** Cancels the job of the file, and deletes its bytes. @throws LongshoreError */
  discard(): Promise<void>;
}

/** @throws LongshoreError when the file is refused or cannot be uploaded */
export async function holdFile(
  client: ClientOptions,
  api: Operations,
  input: FileSource | Blob | Uint8Array | string,
  options: HoldOptions = {},
): Promise<HeldFile> {
  const source = sourceOf(input);
  const { site, signal, idempotencyKey, onProgress } = options;
  const call = { site, signal };
  const file = await announce(api, source, { ...options, hold: true });
  const onUpload = (progress: UploadProgress) => onProgress?.({ phase: 'upload', ...progress });
  await uploadFile(client, api, source, file, { ...call, idempotencyKey, onUpload });
  const uploaded = { jobId: file.jobId, uploadedBytes: source.size, totalBytes: source.size };
  const reportOf = (phase: HoldProgress['phase']) =>
    onProgress === undefined ? undefined : (job: Job) => onProgress({ phase, ...uploaded, job });
  return {
    file,
    inspection: async () => {
      const ask = (given: CallOptions) => api.inspectFile({ id: file.id }, { ...call, ...given });
      return (await awaitAnswer(api, ask, 'inspection', { ...call, onProgress: reportOf('inspection') })).inspection;
    },
    import: async (request = {}) => {
      await schedule(api, file, request, call);
      const job = await waitForJob(api, file.jobId, { ...call, onProgress: reportOf('job') });
      return resultOf(client, api, file, job, call);
    },
    discard: async () => {
      await api.cancelJob({ id: file.jobId }, call);
    },
  };
}

/** Inspects a file of which nothing is kept. @throws LongshoreError */
export async function inspectFile(held: HeldFile): Promise<FileInspection> {
  let inspection: FileInspection;
  try {
    inspection = await held.inspection();
  } catch (error) {
    // What is wrong with the file is said, whatever becomes of its job.
    await held.discard().catch(() => undefined);
    throw error;
  }
  await held.discard();
  return inspection;
}

/** Says how the file is imported, unless an earlier call that was interrupted has said it. */
async function schedule(
  api: Operations,
  { id, jobId }: AnnouncedFile,
  body: ImportHeldFileRequest,
  call: Pick<CallOptions, 'site' | 'signal'>,
): Promise<void> {
  const { status } = await api.getJob({ id: jobId }, call);
  if (status === 'AWAITING_UPLOAD' || status === 'AWAITING_PROFILE') await api.importHeldFile({ id, body }, call);
}
