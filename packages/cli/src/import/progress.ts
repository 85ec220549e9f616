/** Shows how far an import is, and says on Ctrl-C how to go on. */
import type { HoldProgress } from '@longshore/client';
import { whenInterrupted } from '../interrupts.js';
import { BYTES, commandLine, note, progressBar, ROWS } from '../terminal.js';
import type { Attempt } from './attempt.js';

export type Report = (progress: HoldProgress) => void;

/** @param run uploads, inspects or imports a file, and reports its progress */
export async function withProgress<T>(
  attempt: Attempt,
  options: { readonly json?: boolean },
  run: (report: Report) => Promise<T>,
): Promise<T> {
  const bar = progressBar(options.json !== true);
  const following = followedJob();
  try {
    return await run(({ phase, jobId, uploadedBytes, totalBytes, job }) => {
      attempt.isAnnounced = true;
      if (phase === 'upload') return bar.show('Uploading', uploadedBytes, totalBytes, BYTES);
      following.phase = phase;
      following.id = jobId;
      if (job === undefined) return;
      const { processedCount, totalCount } = job.progressTracker;
      bar.show(phase === 'job' ? 'Importing' : 'Reading', processedCount, totalCount, ROWS);
    });
  } finally {
    bar.end();
    following.end();
  }
}

interface Followed {
  phase: HoldProgress['phase'];
  id: string;
  end(): void;
}

/** Ctrl-C ends this program only, so it says how to go on. */
function followedJob(): Followed {
  const followed: Followed = {
    phase: 'upload',
    id: '',
    end: whenInterrupted(() => note(SAID[followed.phase](followed.id))),
  };
  return followed;
}

const SAID: Readonly<Record<HoldProgress['phase'], (jobId: string) => string>> = {
  upload: () => 'The upload is not complete. Call the same command again to go on.',
  inspection: () => 'Nothing is imported. Call the same command again to go on.',
  job: (id) => `The import goes on. Call the same command again to follow it, or: ${commandLine('jobs', 'cancel', id)}`,
};
