/** The endpoints of jobs. */
import type { Route } from '../define-route.js';
import { approveJobRoute, rejectJobRoute } from './jobs/approve.js';
import { cancelJobRoute } from './jobs/cancel.js';
import { listJobChangesRoute } from './jobs/changes.js';
import { downloadJobChangesRoute } from './jobs/changes-file.js';
import { summarizeJobChangesRoute } from './jobs/changes-summary.js';
import { listJobsRoute, readJobRoute } from './jobs/read.js';
import { resumeJobsRoute } from './jobs/resume.js';
import { retryJobRoute } from './jobs/retry.js';
import { revertJobRoute, revertJobsRoute } from './jobs/revert.js';
import { listJobErrorsRoute, readJobResultRoute } from './jobs/rows.js';
import { jobStatisticsRoute } from './jobs/statistics.js';

export const jobRoutes: readonly Route[] = [
  listJobsRoute,
  jobStatisticsRoute,
  readJobRoute,
  approveJobRoute,
  rejectJobRoute,
  cancelJobRoute,
  retryJobRoute,
  revertJobRoute,
  revertJobsRoute,
  resumeJobsRoute,
  listJobErrorsRoute,
  readJobResultRoute,
  listJobChangesRoute,
  downloadJobChangesRoute,
  summarizeJobChangesRoute,
];
