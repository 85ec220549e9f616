/** What all import job types have in common. */
import { importsAtomically, keptOptions } from './import-options.js';
import { inputPlan, spoolKey } from './input-plan.js';

export const IMPORT_TYPE = {
  options: keptOptions,
  plan: inputPlan,
  steps: ['plan', 'apply', 'apply-all', 'finish'],
  isAtomic: importsAtomically,
  isDryRun: ({ validateOnly }: { readonly validateOnly: boolean }) => validateOnly,
  storedKeys: (id: string) => [spoolKey(id)],
} as const;
