/** Holds a file: it is uploaded and not imported yet, so that it can be inspected first. */
import { awaitAnswer } from './await-answer.js';
import type { FileReading } from './file-reading.js';
import type { AnnouncedFile, FileInspection, ImportHeldFileRequest, ImportProposal, Job } from './generated/types.js';
import { type AnnouncementOptions, announce, type ImportProgress, type ImportResult, resultOf } from './import-file.js';
import { waitForJob } from './jobs.js';
import type { Operations } from './operations.js';
import type { CallOptions, ClientOptions } from './transport.js';
import { type FileSource, sourceOf, type UploadProgress, uploadFile } from './upload-file.js';

export interface HoldOptions extends AnnouncementOptions {
  /** With the key of an earlier call, this one goes on where that one was interrupted. */
  readonly idempotencyKey?: string | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/** A file that is uploaded, and imported only when you say how. Otherwise it is deleted after some days. */
export interface HeldFile {
  readonly file: AnnouncedFile;
  /** How the file is written, what kind of file it is and what its columns hold. @throws LongshoreError */
  inspection(reading?: FileReading): Promise<FileInspection>;
  /**
   * How the file would be imported, what the catalog lacks for it, and what has to be decided. With `profile`, as that one
   * says. @throws LongshoreError
   */
  proposal(options?: FileReading & { readonly profile?: string }): Promise<ImportProposal>;
  /** The outcome of the import that an earlier call has asked for; undefined: nothing was asked for. */
  followed(): Promise<ImportResult | undefined>;
  /** Imports the file, and waits for the end of its job. @throws LongshoreError when that is refused */
  import(request?: ImportHeldFileRequest): Promise<ImportResult>;
  /** Cancels the job of the file, and deletes its bytes. @throws LongshoreError */
  discard(): Promise<void>;
}

/** States of the job of a file that waits for its upload, or to be imported. */
const WAITING: readonly Job['status'][] = ['AWAITING_UPLOAD', 'AWAITING_PROFILE'];

/** @throws LongshoreError when the file is refused or cannot be uploaded */
export async function holdFile(
  client: ClientOptions,
  api: Operations,
  input: FileSource | Blob | Uint8Array | string,
  options: HoldOptions = {},
): Promise<HeldFile> {
  const source = sourceOf(input);
  const { site, signal, idempotencyKey, resume, onProgress } = options;
  const call = { site, signal };
  const file = await announce(api, source, { ...options, hold: true });
  const onUpload = (progress: UploadProgress) => onProgress?.({ phase: 'upload', ...progress });
  await uploadFile(client, api, source, file, { ...call, idempotencyKey, resume, onUpload });
  const uploaded = { jobId: file.jobId, uploadedBytes: source.size, totalBytes: source.size };
  const reportOf = (phase: ImportProgress['phase']) =>
    onProgress === undefined ? undefined : (job: Job) => onProgress({ phase, ...uploaded, job });
  const reportReading = () => onProgress?.({ phase: 'inspection', ...uploaded });
  const isWaiting = async () => WAITING.includes((await api.getJob({ id: file.jobId }, call)).status);
  const outcome = async () => {
    const job = await waitForJob(api, file.jobId, { ...call, onProgress: reportOf('job') });
    return resultOf(client, api, file, job, call);
  };
  return {
    file,
    inspection: async (reading = {}) => {
      reportReading();
      const ask = (given: CallOptions) => api.inspectFile({ id: file.id, ...reading }, { ...call, ...given });
      return (await awaitAnswer(api, ask, 'inspection', { ...call, onProgress: reportOf('inspection') })).inspection;
    },
    proposal: async (given = {}) => {
      reportReading();
      const ask = (asked: CallOptions) => api.proposeImport({ id: file.id, ...given }, { ...call, ...asked });
      return (await awaitAnswer(api, ask, 'proposal', { ...call, onProgress: reportOf('inspection') })).proposal;
    },
    followed: async () => ((await isWaiting()) ? undefined : outcome()),
    import: async (request = {}) => {
      // An earlier call that was interrupted may have said it.
      if (await isWaiting()) await api.importHeldFile({ id: file.id, body: request }, call);
      return outcome();
    },
    discard: async () => {
      await api.cancelJob({ id: file.jobId }, call);
    },
  };
}

/** Inspects a file of which nothing is kept. @throws LongshoreError */
export async function inspectFile(held: HeldFile, reading?: FileReading): Promise<FileInspection> {
  let inspection: FileInspection;
  try {
    inspection = await held.inspection(reading);
  } catch (error) {
    // What is wrong with the file is said, whatever becomes of its job.
    await held.discard().catch(() => undefined);
    throw error;
  }
  await held.discard();
  return inspection;
}
