/** Takes up who waited for a job's end: the next in its site's line, or the next export. */
import type { Db } from '../../../db/connection.js';
import type { Job } from '../../../db/models/job.js';
import type { Dispatch } from '../../queues/outbox.js';
import { takeUpExports } from './export-window.js';
import { takeUpParked } from './line.js';

/** @returns what to enqueue */
export function takeUpNext(db: Db, { site_id: siteId, kind }: Pick<Job, 'site_id' | 'kind'>): Promise<Dispatch[]> {
  return kind === 'export' ? takeUpExports(db, siteId) : takeUpParked(db, siteId);
}
