/** What an import needs as it begins. */
import { snapshotsOf } from '../catalog/definition-snapshot.js';
import type { BeginHooks } from '../jobs/model/begin-hooks.js';
import { HAS_ITEM_SUBSCRIBERS } from './items/emit-item-events.js';
import { IMPORT_JOBS, type ImportJob } from './model/import-jobs.js';

/** SQL: whether the site has an attribute whose values must be unique. */
const HAS_UNIQUE = `EXISTS (
  SELECT 1 FROM attribute
  WHERE attribute.site_id = job.site_id AND definition -> 'validation' -> 'unique' = 'true') AS has_unique`;

/** What an import needs as it begins: a snapshot of the definitions, and whether item events have subscribers. */
export const IMPORT_HOOKS: BeginHooks<ImportJob> = {
  types: IMPORT_JOBS,
  besides: `${HAS_UNIQUE}, ${HAS_ITEM_SUBSCRIBERS}`,
  // Inserts may reserve the same unique value. The earlier job has it, so that these inserts must run in order.
  runsAlone: (row) => 'has_unique' in row && row.has_unique === true,
  // Only jobs that apply the definitions need a snapshot; the others change them.
  fixDefinitions: async (trx, jobs) => {
    const siteIds = jobs.flatMap((job) => (job.jobType.definitions === 'kept' ? [job.site_id] : []));
    const versions = await snapshotsOf(trx, siteIds);
    return jobs.map((job) => versions.get(job.site_id) ?? 0);
  },
};
