/** The rows of each kind of job: what applies them, and how those are made that no client sends. See workers/index.ts. */
import { loadApplier } from './appliers/load-applier.js';
import { loadSiteApplier, openBesideRows, planSite } from './made/made-of-archive.js';
import { loadChangesApplier, planChanges } from './made/made-of-changes.js';
import type { RowsOfJobs } from './made/rows-of-jobs.js';
import { createMissing } from './missing/create-missing.js';

export const ROWS_OF_JOBS: RowsOfJobs = {
  loadApplier: (db, job, version, headerCells) => {
    if (job.kind === 'revert' || job.kind === 'promote') return loadChangesApplier(db, job, version);
    if (job.kind === 'site') return loadSiteApplier(db, job, version);
    return loadApplier(db, job, version, headerCells);
  },
  createMissing,
  plan: (services, job, version, signal) => {
    if (job.kind === 'revert' || job.kind === 'promote') return planChanges(services, job, version, signal);
    return job.kind === 'site' ? planSite(services, job, version, signal) : undefined;
  },
  open: (services, job) => (job.kind === 'site' ? openBesideRows(services, job) : undefined),
};
