/** Lists jobs. */
import type { Db } from '../../../db/connection.js';
import type { JobStatus } from '../../../db/models/job.js';
import type { SiteContext } from '../access/site-context.js';
import type { Page, PageRequest } from '../kernel/paging.js';
import { type FoundJob, withNames, withState } from './read/shown-state.js';

interface JobFilter {
  readonly ids?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly status?: JobStatus | undefined;
  /** Who has sent them: "token:5f…". */
  readonly actor?: string | undefined;
}

/** Lists jobs, newest first. */
export async function listJobs(
  db: Db,
  site: SiteContext,
  filter: JobFilter,
  page: PageRequest,
): Promise<Page<FoundJob>> {
  const query = withNames(db).where({ site_id: site.siteId });
  if (filter.ids !== undefined) query.whereIn('id', [...filter.ids]);
  if (filter.types !== undefined) query.whereIn('type', [...filter.types]);
  if (filter.status !== undefined) query.where({ status: filter.status });
  if (filter.actor !== undefined) query.where({ actor: filter.actor });
  const [count, rows] = await Promise.all([
    query.clone().resultSize(),
    query.clone().orderBy('created_at', 'desc').orderBy('id', 'desc').offset(page.offset).limit(page.limit),
  ]);
  return { rows: await withState(db, rows), count };
}
