/** What all import job types have in common. */
import { inputPlan } from '../rows/input-plan.js';
import { importsAtomically, keptOptions } from './import-options.js';

export const IMPORT_TYPE = {
  options: keptOptions,
  plan: inputPlan,
  steps: ['plan', 'apply', 'apply-all', 'finish'],
  isAtomic: importsAtomically,
  isDryRun: ({ validateOnly }: { readonly validateOnly: boolean }) => validateOnly,
  storedKeys: (id: string) => [spoolKey(id)],
} as const;

/** Key of a job's normalised copy in the file store. It is kept as long as its job, whose result is read from it. */
export function spoolKey(jobId: string): string {
  return `spools/${jobId}`;
}
