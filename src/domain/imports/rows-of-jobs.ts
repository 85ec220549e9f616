/** Which jobs make their rows themselves. Workers give it to the steps of imports: see workers/index.ts. */
import { loadSiteApplier, openBesideRows, planSite } from './made/made-of-archive.js';
import { loadChangesApplier, planChanges } from './made/made-of-changes.js';
import type { RowsOfJobs } from './made/rows-of-jobs.js';

export const ROWS_OF_JOBS: RowsOfJobs = {
  plan: (services, job, version, signal) => {
    if (job.kind === 'revert' || job.kind === 'promote') return planChanges(services, job, version, signal);
    return job.kind === 'site' ? planSite(services, job, version, signal) : undefined;
  },
  loadApplier: (db, job, version) => {
    if (job.kind === 'revert' || job.kind === 'promote') return loadChangesApplier(db, job, version);
    return job.kind === 'site' ? loadSiteApplier(db, job, version) : undefined;
  },
  open: (services, job) => (job.kind === 'site' ? openBesideRows(services, job) : undefined),
};
