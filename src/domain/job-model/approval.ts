/** The option of a job that needs an approval: it is a dry run first, and runs again when it was approved. */
import { z } from 'zod';
import { removalReport } from './removal-report.js';

export const approvalOption = z
  .object({
    state: z.enum(['preview', 'approved']),
    /** What it is about. Absent: all of the job. Its rows were applied before, and what its file lacks waits. */
    only: z.literal('removals').optional(),
    /** When its rows were begun first: those of the preview, or of such a job, which goes on later. The age of its file. */
    rowsBegan: z.string().optional(),
    /** What a job showed of its removals when it was approved: if they are not made in spite of it, its end says so with these. */
    removal: removalReport.optional(),
    /** It waits for an approval only if more than this would change. Absent: if anything would. */
    above: z.object({ items: z.int().optional(), percent: z.number().optional() }).readonly().optional(),
    /** It waits for an approval only if the stage is not empty when its turn has come. */
    unlessEmpty: z.boolean().optional(),
    /** The client whose token created the job: it may get another token at any time. */
    client: z.string().optional(),
    /** The version of the definitions of the site when it was previewed. */
    definitions: z.int().optional(),
    /** A digest of what it would change around the catalog: import profiles, settings and webhook definitions. */
    surroundings: z.string().optional(),
    /** Who has approved it. Absent: the rule of the site, because little would change. */
    by: z.string().optional(),
    at: z.string().optional(),
    note: z.string().optional(),
  })
  .readonly();
export type Approval = z.output<typeof approvalOption>;

/** The approval in stored options; undefined: the job needs none. */
export function approvalOf(options: unknown): Approval | undefined {
  return approvalOption.safeParse(Object(options).approval).data;
}

/** Options with which a job is a dry run first. */
export function previewing<Options extends object>(options: Options, approval: Omit<Approval, 'state'>): Options {
  return { ...options, validateOnly: true, approval: { ...approval, state: 'preview' } } as const;
}

/** The options of a job for another one, which needs an approval of its own: whether it does is decided anew. */
export function withoutApproval<
  Options extends { readonly validateOnly?: boolean; readonly approval?: Approval | undefined },
>(options: Options): Options {
  const { approval, ...others } = options;
  if (approval === undefined) return options;
  return { ...others, validateOnly: false } as Options;
}
