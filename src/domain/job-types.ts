/** The table of all job types, which callers pass to the job core. */
import type { CatalogJobs } from './catalog/pending-job.js';
import { EXPORT_JOB } from './exports/model/export-job.js';
import { FEED_RUN_JOB } from './feeds/model/feed-run-job.js';
import { COMPARE_JOB } from './imports/model/compare-job.js';
import { IMPORT_JOBS } from './imports/model/import-jobs.js';
import type { JobOf, JobTypes } from './job-model/job-type.js';
import { INSPECTION_JOB } from './proposals/model/inspection-job.js';
import { REPLAY_JOB } from './replays/replay-job.js';

const TYPES = {
  ...IMPORT_JOBS,
  [EXPORT_JOB.kind]: EXPORT_JOB,
  [REPLAY_JOB.kind]: REPLAY_JOB,
  [COMPARE_JOB.kind]: COMPARE_JOB,
  [INSPECTION_JOB.kind]: INSPECTION_JOB,
  [FEED_RUN_JOB.kind]: FEED_RUN_JOB,
} satisfies JobTypes & Readonly<Record<CatalogJobs, JobTypes[string]>>;

export const JOB_TYPES: JobTypes<JobOf<typeof TYPES>> = TYPES;
