/** Jobs that have begun. */
import type { LoadedJob } from '../../job-model/job-type.js';

/** A job that has begun, with its rows as they came in the request. */
export interface BegunJob<Job extends LoadedJob> {
  readonly job: Job;
  readonly position: number;
  /** One JSON text a line, in UTF-8; empty for a file. */
  readonly input: Buffer;
}

/** The jobs of one site that have begun. */
export interface BegunSite<Job extends LoadedJob> {
  readonly siteId: number;
  readonly jobs: readonly BegunJob<Job>[];
  readonly definitionsVersion: number;
}
