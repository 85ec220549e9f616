/** The options of an earlier import, which a retry of its rows takes over. */
import type { Db } from '../../../db/connection.js';
import { Job } from '../../../db/models/job.js';
import { parseJob } from '../job-model/job-type.js';
import { isId } from '../kernel/identifier.js';
import { IMPORT_JOBS } from './model/import-jobs.js';
import type { ImportOptions } from './model/import-options.js';

/** The options of an earlier job of the site that imported rows of this kind; undefined when there is none. */
export async function optionsOfImport(
  db: Db,
  siteId: number,
  jobId: string,
  kind: string,
): Promise<ImportOptions | undefined> {
  const row = isId(jobId) ? await Job.query(db).findById(jobId).where({ site_id: siteId, kind }) : undefined;
  const job = row === undefined ? undefined : parseJob(IMPORT_JOBS, row);
  if (job === undefined || !('mode' in job.options)) return undefined;
  return withRowPath(job.options, job.plan?.rowPath);
}

/** In fewer rows, another path might be the most plausible one: those of a retry are where the rows were. */
function withRowPath(options: ImportOptions, rowPath: string | undefined): ImportOptions {
  const { profile } = options;
  if (rowPath === undefined || !profile || profile.document.format.rowPath !== undefined) return options;
  const format = { ...profile.document.format, rowPath };
  return { ...options, profile: { ...profile, document: { ...profile.document, format } } };
}
