/** Uploads a file, goes on where that was cut, and says how far it is. What is stopped leaves nothing behind. */
import { type ImportProgress, newIdempotencyKey, type UploadCut } from '@longshore/client';
import { useRef, useState } from 'react';
import { apiOf, usePresent } from '../../session/session-context.js';
import { isErrorFile } from './is-error-file.js';
import { startImport } from './start-import.js';

/** What an upload was cut by that goes on. */
export interface Cut extends UploadCut {
  /** How many bytes had been sent. */
  readonly at: number;
}

interface UploadTarget {
  readonly type: 'ITEM_IMPORT' | 'BUNDLE_IMPORT' | 'ATTRIBUTE_IMPORT' | 'CATEGORY_IMPORT';
  /** An error file is imported at once. */
  readonly onImport: (jobId: string, file: File) => Promise<void>;
  readonly onHeld: (fileId: string) => Promise<void>;
  /** What is said of a file that cannot be read any more. */
  readonly gone: (file: File) => Error;
}

/** An upload that was given up: the same file goes on where it was. */
interface Failed {
  readonly file: File;
  /** Of its announcement. */
  readonly key: string;
  readonly jobId: string | undefined;
  readonly type: UploadTarget['type'];
  /** How many bytes have arrived and are kept. */
  readonly kept: number;
}

interface Upload {
  /** Undefined: nothing is uploaded. */
  readonly file?: File | undefined;
  readonly sent: number;
  readonly cut?: Cut | undefined;
  readonly error?: unknown;
  /** What could not be uploaded: it need not be chosen again. */
  readonly failed?: Failed | undefined;
}

const NOTHING: Upload = { sent: 0 };
/** The address of an upload is valid for minutes only, unless parts of the file are kept. */
const EXPIRED: readonly number[] = [403, 410];

export function useUpload({ type, onImport, onHeld, gone }: UploadTarget) {
  const { session, stage } = usePresent();
  const [upload, setUpload] = useState(NOTHING);
  const stopped = useRef<AbortController>(undefined);

  const begin = async (file: File, earlier?: Failed): Promise<void> => {
    const stop = new AbortController();
    stopped.current = stop;
    const resume = earlier?.file === file && earlier.type === type && earlier.kept > 0;
    const key = resume ? earlier.key : newIdempotencyKey();
    let kept = resume ? earlier.kept : 0;
    let jobId = resume ? earlier.jobId : undefined;
    let sent = kept;
    let cut: Cut | undefined;
    setUpload({ file, sent });
    const api = apiOf(session.accountId, stage.name, (bytes) => {
      sent = kept + bytes;
      if (!stop.signal.aborted) setUpload((now) => ({ ...now, sent }));
    });
    // Without a connection, the announcement expires by itself.
    const cancel = (id: string | undefined) => {
      if (id !== undefined) void api.cancelJob({ id }, { retries: 0 }).catch(() => undefined);
    };
    if (!resume) cancel(earlier?.jobId);
    const onProgress = (progress: ImportProgress) => {
      jobId = progress.jobId;
      kept = progress.uploadedBytes;
      // Each is told of once when it was cut, and once when it goes on.
      const isNew = progress.cut !== undefined && progress.cut.error !== cut?.error;
      if (progress.cut !== undefined && isNew) cut = { ...progress.cut, at: sent };
      sent = kept;
      setUpload((now) => ({ ...now, sent, cut }));
      // A file that was changed meanwhile cannot be read again, which looks like a lost connection.
      if (isNew) void isThere(file).then((isSo) => (isSo ? undefined : stop.abort(gone(file))));
    };
    const options = { fileName: file.name, type, signal: stop.signal, idempotencyKey: key, resume, onProgress };
    try {
      // An error file brings what its job was told, so that nothing has to be asked again.
      if (await isErrorFile(file)) await onImport(await startImport(api, file, options), file);
      else await onHeld((await api.hold(file, options)).file.id);
    } catch (failure) {
      const isKept = kept > 0 && (await isThere(file)) && !stop.signal.aborted;
      const hasExpired = EXPIRED.includes((failure as { status?: number }).status ?? 0);
      // Of what is not kept, or not wanted any more, nothing is left.
      if (!isKept || hasExpired) cancel(jobId);
      if (!(await isThere(file))) return setUpload({ ...NOTHING, error: gone(file) });
      if (stop.signal.aborted) return setUpload(NOTHING);
      if (hasExpired && (resume || cut !== undefined)) return begin(file);
      setUpload({ ...NOTHING, error: failure, failed: { file, key, jobId, type, kept: isKept ? kept : 0 } });
    }
  };
  const { failed } = upload;
  return {
    ...upload,
    /** What was given up before is cancelled, unless it is this file. */
    begin: (file: File) => begin(file, failed),
    stop: () => stopped.current?.abort(),
    refuse: (error: Error) => setUpload({ ...NOTHING, error }),
  };
}

/** Whether the browser can still read the file. */
function isThere(file: File): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}
