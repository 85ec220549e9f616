/** The API's representation of jobs, and a function that waits for them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from './api-client.js';

export interface Job {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly statusMessage: string | null;
  readonly errorFiles: readonly string[];
  readonly outputFiles: readonly string[];
  readonly progressTracker: {
    readonly totalCount: number | null;
    readonly processedCount: number;
    readonly createdCount: number;
    readonly updatedCount: number;
    readonly unchangedCount: number;
    readonly errorCount: number;
  };
  readonly errorSummary: readonly SummaryLine[];
  readonly completedAt: string | null;
}

/** All errors of one code in one column. */
interface SummaryLine {
  readonly code: string;
  readonly path: string | null;
  readonly count: number;
  /** Row numbers and ranges, such as `3, 9-120`. */
  readonly rows: string;
  readonly example: string;
}

const POLL_INTERVAL_MS = 100;

/** Polls a job until it has ended. @param onProgress called after each poll */
export async function waitForJob(api: ApiClient, id: string, onProgress: (job: Job) => void): Promise<Job> {
  for (;;) {
    const job = await api.get<Job>(`/jobs/${id}`);
    onProgress(job);
    if (job.completedAt !== null) return job;
    await delay(POLL_INTERVAL_MS);
  }
}
