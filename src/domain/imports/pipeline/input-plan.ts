/** What PLAN found out about a job's input; kept with the job, so that every chunk is read alike. */
import { z } from 'zod';
import { CHUNK_PLAN } from '../../jobs/job-type.js';
import { keptOptions, takesEffectAsAWhole } from '../import-options.js';

/** What is set aside for a job before its first row is applied: attribute id → number. */
const reserved = z.record(z.string(), z.number()).readonly();
export type Reserved = z.output<typeof reserved>;

const inputPlan = z
  .object({
    ...CHUNK_PLAN,
    /** Where the rows lie: in the chunk itself, in the upload, or in a normalised copy of it. */
    source: z.enum(['inline', 'upload', 'spool']),
    bodyFormat: z.enum(['CSV', 'JSONL']),
    delimiter: z.string().nullable(),
    headerCells: z.array(z.string()).readonly().nullable(),
    /** Index of the key's column; -1 for JSON. */
    keyColumn: z.int(),
    /** No item existed when the job began. */
    siteWasEmpty: z.boolean(),
    /** Empty when the job is atomic: it reserves in its own transaction. */
    reserved,
    /** No row number is higher. */
    lastRow: z.int(),
  })
  .readonly();
export type InputPlan = z.output<typeof inputPlan>;

/** Key of a job's normalised copy in the file store. It stays as long as its job: the job's result is read from it. */
export function spoolKey(jobId: string): string {
  return `spools/${jobId}`;
}

// What the types of jobs that take rows in have in common.

export const IMPORT_TYPE = {
  options: keptOptions,
  plan: inputPlan,
  steps: ['plan', 'apply', 'apply-all', 'finish'],
  isAtomic: takesEffectAsAWhole,
  isDryRun: ({ validateOnly }: { readonly validateOnly: boolean }) => validateOnly,
  storedKeys: (id: string) => [spoolKey(id)],
} as const;
