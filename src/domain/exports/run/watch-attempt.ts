/** Records the progress of an attempt at intervals, and thereby notices when it is no longer current. */
import type { Db } from '../../../../db/connection.js';
import { rowsCopied } from '../../../../db/copy-out.js';
import { recordProgress } from '../../jobs/single-step.js';
import type { ExportAttempt } from './begin-export.js';

const POLL_EVERY_MS = 1_000;

interface AttemptWatch {
  /** Aborts when the attempt is no longer current. */
  readonly stale: AbortSignal;
  begun(estimate: number, backendPid: number): void;
  stop(): Promise<void>;
}

/** Records the progress of an attempt at intervals, and thereby notices when it is no longer current. */
export function watchAttempt(db: Db, attempt: ExportAttempt): AttemptWatch {
  const stale = new AbortController();
  let estimate: number | null = null;
  let backendPid: number | null = null;
  let polling: Promise<void> = Promise.resolve();

  async function poll(): Promise<void> {
    const rows = backendPid === null ? null : await rowsCopied(db, backendPid);
    const progress = {
      ...(estimate === null ? {} : { totalCount: Math.max(estimate, rows ?? 0) }),
      ...(rows === null ? {} : { processedCount: rows }),
    };
    const isCurrent = await recordProgress(db, attempt, progress, { attempt: attempt.attempt });
    if (!isCurrent) stale.abort(new Error('the export was cancelled, or is written by another worker'));
  }

  // A failed poll does not fail the export; the next one may succeed.
  const timer = setInterval(() => {
    polling = polling.then(poll).catch(() => undefined);
  }, POLL_EVERY_MS);
  return {
    stale: stale.signal,
    begun: (rows, pid) => {
      estimate = rows;
      backendPid = pid;
    },
    stop: () => {
      clearInterval(timer);
      return polling;
    },
  };
}
