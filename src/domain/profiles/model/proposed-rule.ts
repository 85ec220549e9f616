/** A rule of a proposal, whose steps may be undecided. */
import { z } from 'zod';
import { stepSchema } from '../steps/registry.js';
import { undecidedStepSchema } from './undecided.js';

export const proposedRuleSchema = z.object({
  to: z.string().nullable(),
  from: z.union([z.string(), z.array(z.string())]).optional(),
  optional: z.boolean().optional(),
  combine: z.enum(['first', 'join']).optional(),
  joinWith: z.string().optional(),
  split: z
    .object({
      separator: z.string().optional(),
      part: z.int().optional(),
      start: z.int().optional(),
      end: z.int().optional(),
    })
    .optional(),
  constant: z.string().optional(),
  steps: z.array(z.union([undecidedStepSchema, stepSchema])),
});
export type ProposedRule = z.output<typeof proposedRuleSchema>;
