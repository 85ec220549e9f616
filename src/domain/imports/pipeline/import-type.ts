/** What the types of jobs that take rows in have in common. */
import { keptOptions, takesEffectAsAWhole } from '../import-options.js';
import { inputPlan, spoolKey } from './input-plan.js';

export const IMPORT_TYPE = {
  options: keptOptions,
  plan: inputPlan,
  steps: ['plan', 'apply', 'apply-all', 'finish'],
  isAtomic: takesEffectAsAWhole,
  isDryRun: ({ validateOnly }: { readonly validateOnly: boolean }) => validateOnly,
  storedKeys: (id: string) => [spoolKey(id)],
} as const;
