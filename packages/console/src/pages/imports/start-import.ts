/** Uploads a file that is imported at once, and answers its job as soon as that has the file: the page of the job follows it. */
import type { ImportFileOptions, LongshoreClient } from '@longshore/client';

/** @throws LongshoreError when the file is refused or cannot be uploaded */
export function startImport(
  api: LongshoreClient,
  file: Blob,
  { signal, onProgress, ...options }: ImportFileOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const stop = new AbortController();
    signal?.addEventListener('abort', () => stop.abort(signal.reason), { once: true });
    api
      .importFile(file, {
        ...options,
        signal: stop.signal,
        onProgress: (progress) => {
          onProgress?.(progress);
          if (progress.phase !== 'job') return;
          resolve(progress.jobId);
          stop.abort();
        },
      })
      .then(({ job }) => resolve(job.id), reject);
  });
}
