/** The job type of exports. It needs no position in the ordering queue, because it reads one snapshot. */
import { z } from 'zod';
import { defineJobType, type JobOf, type JobTypes } from '../../job-model/job-type.js';
import { type ExportContent, exportSpecSchema } from './export-spec.js';

/** The type of the job, and of the file that it writes. */
export const EXPORT_TYPES = {
  product: 'ITEM_EXPORT',
  bundle: 'BUNDLE_EXPORT',
  attribute: 'ATTRIBUTE_EXPORT',
  category: 'CATEGORY_EXPORT',
  site: 'SITE_EXPORT',
} as const satisfies Readonly<Record<ExportContent['entity'], string>>;

/** `attempt`: how many times writing the file has begun. `whyWhole`: why the file is whole though changes were asked for. */
const exportPlan = z.object({ attempt: z.int(), whyWhole: z.string().optional() });

export const EXPORT_JOB = defineJobType({
  kind: 'export',
  names: Object.values(EXPORT_TYPES),
  options: exportSpecSchema,
  plan: exportPlan,
  steps: ['export'],
  oneStep: {
    failed: 'we could not write the file; request the export again',
    // The worker notices this within a second; what it has written until then never becomes a file that clients see.
    cancelled: () => 'cancelled on request; no file was written',
  },
  // A worker process runs more exports than this by default, so that those of other sites need not wait.
  siteWindow: 2,
  isConcurrent: () => true,
  // An attempt that died after its last byte and before the job's end leaves its file in the store.
  storedKeys: (id, plan) => keysOfAttempts(id, plan?.attempt ?? 0),
  rowNaming: null,
  result: 'file',
});

const TYPES = { [EXPORT_JOB.kind]: EXPORT_JOB };
export type ExportJob = JobOf<typeof TYPES>;
export const EXPORT_JOBS: JobTypes<ExportJob> = TYPES;

/** Each attempt writes to its own key, because an attempt whose worker was assumed dead may still complete. */
export function exportKey(jobId: string, attempt: number): string {
  return `exports/${jobId}-${attempt}`;
}

/** The keys of the first attempts. */
export function keysOfAttempts(jobId: string, attempts: number): string[] {
  return Array.from({ length: attempts }, (_, index) => exportKey(jobId, index + 1));
}
