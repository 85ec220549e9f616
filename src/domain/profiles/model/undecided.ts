/** What a proposal could not decide: steps with several readings, which nobody may choose but the client. */
import { z } from 'zod';
import { quoted } from '../../kernel/value-problem.js';
import { STEP_NAMES, stepSchema } from '../steps/registry.js';

/** One way of reading a column, and a cell that shows it. */
const readingSchema = z.object({
  value: z.string().meta({ description: 'What decides for this reading' }),
  label: z.string().meta({ description: 'What the example would mean' }),
  row: z.int().meta({ description: 'The row of the example in the file' }),
  example: z.string(),
  step: stepSchema.meta({
    description: 'The step that decides for this reading: put it in the place of the undecided one',
  }),
});
/** One way of reading a column. */
export type Reading = z.output<typeof readingSchema>;

/** A step whose form is open. */
export const undecidedStepSchema = z
  .object({ step: z.enum(STEP_NAMES), undecided: z.array(readingSchema).min(1) })
  .meta({ id: 'UndecidedStep', description: 'Decide: put the `step` of a reading in the place of this one' });

/** What is left open is recognized whatever else a client has made of it. */
const openStepSchema = z.object({ undecided: z.array(readingSchema.omit({ step: true })).min(1) });

/** Says of each undecided step of a rule which readings there are. `rule` was not checked yet. */
export function undecidedProblems(rule: unknown): { readonly path: PropertyKey[]; readonly message: string }[] {
  const { steps, from } = (rule ?? {}) as { readonly steps?: unknown; readonly from?: unknown };
  if (!Array.isArray(steps)) return [];
  const column = typeof from === 'string' ? from : Array.isArray(from) ? from.join(', ') : '';
  return steps.flatMap((step, index) => {
    const parsed = openStepSchema.safeParse(step);
    if (!parsed.success) return [];
    const readings = parsed.data.undecided.map(
      ({ value, label, row, example }) => `${quoted(value)}: row ${row}, ${quoted(example)}, is ${label}`,
    );
    const message = `the column ${quoted(column)} can be read in ${readings.length} ways (${readings.join('; ')}): decide for one of them`;
    return [{ path: ['steps', index], message }];
  });
}
