/** What all import job types have in common. */
import { inputPlan } from '../../rows/input-plan.js';
import { importsAtomically, keptOptions } from '../import-options.js';
import { spoolKey } from '../spool-key.js';

export const IMPORT_TYPE = {
  options: keptOptions,
  plan: inputPlan,
  steps: ['plan', 'apply', 'apply-all', 'finish'],
  isAtomic: importsAtomically,
  isDryRun: ({ validateOnly }: { readonly validateOnly: boolean }) => validateOnly,
  storedKeys: (id: string) => [spoolKey(id)],
} as const;
