/** The part of readiness that says whether there are jobs that nobody will ever execute, as maintenance has found. */
import type { Db } from '../../../db/connection.js';
import { readSystemFacts } from '../../../db/process-snapshots.js';
import type { Finding } from './findings.js';

/** Findings of maintenance that are older do not count: the part `workers` says that it does not run. */
const FRESH_SECONDS = 60;

/** Jobs that have not ended, that nothing refers to, and that maintenance could not repair. */
export async function unreferredJobs(db: Db): Promise<Finding | null> {
  const { unreferredJobs: ids } = Object((await readSystemFacts(db, FRESH_SECONDS)) ?? {});
  if (!Array.isArray(ids) || ids.length === 0) return null;
  return {
    status: 'degraded',
    message: `${ids.length === 1 ? '1 job has' : `${ids.length} jobs have`} not ended, and nothing refers to ${ids.length === 1 ? 'it' : 'them'}: nobody will execute ${ids.length === 1 ? 'it' : 'them'}`,
    cure: 'npm run admin -- doctor names them: cancel them, and send them again; look for processes of an older release',
    needsPerson: true,
  };
}
