/** Shows how far an import is, and says on Ctrl-C how to go on. */
import type { ImportProgress } from '@longshore/client';
import { whenInterrupted } from '../interrupts.js';
import { BYTES, commandLine, note, progressBar, ROWS } from '../terminal.js';
import type { Attempt } from './attempt.js';

export type Report = (progress: ImportProgress) => void;

/** @param run uploads, inspects or imports a file, and reports its progress; `pause` removes the bar until the next report */
export async function withProgress<T>(
  attempt: Attempt,
  options: { readonly json?: boolean },
  run: (report: Report, pause: () => void) => Promise<T>,
): Promise<T> {
  const bar = progressBar(options.json !== true);
  const following = followedJob();
  try {
    const report: Report = ({ phase, jobId, uploadedBytes, totalBytes, job }) => {
      attempt.isAnnounced = true;
      if (phase === 'upload') return bar.show('Uploading', uploadedBytes, totalBytes, BYTES);
      following.phase = phase;
      following.id = jobId;
      if (job === undefined) return;
      const { processedCount, totalCount } = job.progressTracker;
      bar.show(phase === 'job' ? 'Importing' : 'Reading', processedCount, totalCount, ROWS);
    };
    return await run(report, () => bar.end());
  } finally {
    bar.end();
    following.end();
  }
}

interface Followed {
  phase: ImportProgress['phase'];
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

const SAID: Readonly<Record<ImportProgress['phase'], (jobId: string) => string>> = {
  upload: () => 'The upload is not complete. Call the same command again to go on.',
  inspection: () => 'Nothing is imported. Call the same command again to go on.',
  job: (id) => `The import goes on. Call the same command again to follow it, or: ${commandLine('jobs', 'cancel', id)}`,
};
