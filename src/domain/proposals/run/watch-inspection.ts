/** Records the progress of an attempt at intervals, and thereby notices when it is no longer current. */
import type { Db } from '../../../../db/connection.js';
import { recordProgress } from '../../jobs/single-step.js';
import type { InspectionAttempt } from './begin-inspection.js';

const POLL_EVERY_MS = 1_000;

interface InspectionWatch {
  /** Aborts when the attempt is no longer current. */
  readonly stale: AbortSignal;
  /** Notes how many rows were read. */
  note(rows: number): void;
  stop(): Promise<void>;
}

export function watchInspection(db: Db, attempt: InspectionAttempt): InspectionWatch {
  const stale = new AbortController();
  let rows = 0;
  let polling: Promise<void> = Promise.resolve();

  async function poll(): Promise<void> {
    const isCurrent = await recordProgress(db, attempt, { processedCount: rows }, { attempt: attempt.attempt });
    if (!isCurrent) stale.abort(new Error('the inspection was cancelled, or is done by another worker'));
  }

  // A failed poll does not fail the inspection; the next one may succeed.
  const timer = setInterval(() => {
    polling = polling.then(poll).catch(() => undefined);
  }, POLL_EVERY_MS);
  return {
    stale: stale.signal,
    note: (count) => {
      rows = count;
    },
    stop: () => {
      clearInterval(timer);
      return polling;
    },
  };
}
