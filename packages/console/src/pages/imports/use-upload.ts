/** Uploads a file, again where that was cut, and says how far it is. What is stopped leaves nothing behind. */
import type { ImportProgress, UploadCut } from '@longshore/client';
import { useRef, useState } from 'react';
import { apiOf, usePresent } from '../../session/session-context.js';
import { isErrorFile } from './error-table.js';
import { startImport } from './start-import.js';

/** What an upload that has begun again was cut by. */
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

interface Upload {
  /** Undefined: nothing is uploaded. */
  readonly file?: File | undefined;
  readonly sent: number;
  readonly cut?: Cut | undefined;
  readonly error?: unknown;
  /** What could not be uploaded: it need not be chosen again. */
  readonly failed?: File | undefined;
}

const NOTHING: Upload = { sent: 0 };
/** The address of an upload is valid for minutes only. */
const EXPIRED: readonly number[] = [403, 410];

export function useUpload({ type, onImport, onHeld, gone }: UploadTarget) {
  const { session, stage } = usePresent();
  const [upload, setUpload] = useState(NOTHING);
  const stopped = useRef<AbortController>(undefined);

  const begin = async (file: File): Promise<void> => {
    const stop = new AbortController();
    stopped.current = stop;
    setUpload({ file, sent: 0 });
    let jobId: string | undefined;
    let cut: Cut | undefined;
    let sent = 0;
    const api = apiOf(session.accountId, stage.name, (bytes) => {
      sent = bytes;
      if (!stop.signal.aborted) setUpload((now) => ({ ...now, sent: bytes }));
    });
    const onProgress = (progress: ImportProgress) => {
      jobId = progress.jobId;
      // Each is told of once when it was cut, and once when it begins again.
      if (progress.cut === undefined || progress.cut.attempt === cut?.attempt) return;
      cut = { ...progress.cut, at: sent };
      sent = 0;
      setUpload((now) => ({ ...now, sent, cut }));
      // A file that was changed meanwhile cannot be read again, which looks like a lost connection.
      void isThere(file).then((isSo) => (isSo ? undefined : stop.abort(gone(file))));
    };
    const options = { fileName: file.name, type, signal: stop.signal, onProgress };
    try {
      // An error file brings what its job was told, so that nothing has to be asked again.
      if (await isErrorFile(file)) await onImport(await startImport(api, file, options), file);
      else await onHeld((await api.hold(file, options)).file.id);
    } catch (failure) {
      // Whoever uploads it again announces it again. Without a connection, the announcement expires by itself.
      if (jobId !== undefined) void api.cancelJob({ id: jobId }, { retries: 0 }).catch(() => undefined);
      if (!(await isThere(file))) return setUpload({ ...NOTHING, error: gone(file) });
      if (stop.signal.aborted) return setUpload(NOTHING);
      if (cut !== undefined && EXPIRED.includes((failure as { status?: number }).status ?? 0)) return begin(file);
      setUpload({ ...NOTHING, error: failure, failed: file });
    }
  };
  return {
    ...upload,
    begin,
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
