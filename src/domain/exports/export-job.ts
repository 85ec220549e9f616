/** The type of job that writes a file of the catalog. It has no place in the order of its site: it reads, and one snapshot. */
import { z } from 'zod';
import { defineJobType, type JobOf, type JobTypes } from '../jobs/job-type.js';
import { type ExportEntity, exportSpecSchema } from './export-spec.js';

/** What the job is called, and the file that it writes. */
export const EXPORT_TYPES = {
  product: 'ITEM_EXPORT',
  bundle: 'BUNDLE_EXPORT',
  attribute: 'ATTRIBUTE_EXPORT',
  category: 'CATEGORY_EXPORT',
} as const satisfies Readonly<Record<ExportEntity, string>>;

/** How often writing the file was begun. */
const exportPlan = z.object({ attempt: z.int() });

export const EXPORT_JOB = defineJobType({
  kind: 'export',
  names: Object.values(EXPORT_TYPES),
  options: exportSpecSchema,
  plan: exportPlan,
  steps: ['export'],
  oneStep: {
    failed: 'we could not write the file; ask for the export again',
    // Its worker finds out within a second, and what it has written until then is seen by nobody.
    cancelled: () => 'cancelled on request; no file was written',
  },
  // A worker process runs more than these by default, so that exports of other sites find one.
  siteWindow: 2,
  isConcurrent: () => true,
  // Attempts that died between the last byte and the end leave theirs.
  storedKeys: (id, plan) => keysOfAttempts(id, plan?.attempt ?? 0),
  rowNaming: null,
  result: 'file',
});

const TYPES = { [EXPORT_JOB.kind]: EXPORT_JOB };
export type ExportJob = JobOf<typeof TYPES>;
export const EXPORT_JOBS: JobTypes<ExportJob> = TYPES;

/** Each attempt writes to a key of its own: one whose worker was believed dead may still come to its end. */
export function exportKey(jobId: string, attempt: number): string {
  return `exports/${jobId}-${attempt}`;
}

/** The keys of the first attempts. */
export function keysOfAttempts(jobId: string, attempts: number): string[] {
  return Array.from({ length: attempts }, (_, index) => exportKey(jobId, index + 1));
}
