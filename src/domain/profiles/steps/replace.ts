/** The step that replaces a cell as a whole, by a table. */
import { z } from 'zod';
import { attributeKey } from '../../kernel/attribute-key.js';
import { nearestName } from '../../kernel/nearest-name.js';
import { quoted } from '../../kernel/value-problem.js';
import { defineStep, StepFailure, stepText } from './step.js';

const MAX_ENTRIES = 10_000;

export const replaceStep = defineStep({
  schema: z.strictObject({
    step: z.literal('replace'),
    table: z
      .record(stepText, stepText)
      .refine((table) => Object.keys(table).length <= MAX_ENTRIES, `has more than ${MAX_ENTRIES} entries`)
      .meta({ description: 'What a cell holds, and by what it is replaced. Cells are compared without outer blanks' }),
    otherwise: z
      .enum(['fail', 'keep', 'empty'])
      .default('fail')
      .meta({ description: 'What becomes of a cell that the table does not contain' }),
  }),
  compile: ({ table, otherwise }) => {
    const entries = new Map(Object.entries(table).map(([from, to]) => [from.trim().normalize('NFC'), to]));
    return (text) => {
      const found = entries.get(text) ?? entries.get(text.trim().normalize('NFC'));
      if (found !== undefined) return found;
      if (otherwise !== 'fail') return otherwise === 'keep' ? text : '';
      return new StepFailure(`${quoted(text)} is not in its table${hint(text, entries)}`);
    };
  },
  inverse: ({ table, otherwise }) => {
    const sources = new Map<string, string>();
    let double: string | undefined;
    for (const [from, to] of Object.entries(table)) {
      if (!sources.has(to)) sources.set(to, from);
      else if (to !== '')
        double ??= `${quoted(sources.get(to) ?? '')} and ${quoted(from)} both become ${quoted(to)}, which is written as the first of the two`;
    }
    const emptied = otherwise === 'empty' ? 'what is not in the table is emptied, and not written' : null;
    return {
      write: (text) => sources.get(text) ?? (otherwise === 'keep' ? text : null),
      loss: double ?? emptied,
    };
  },
});

function hint(text: string, entries: ReadonlyMap<string, string>): string {
  if (entries.size > 100) return '';
  const same = [...entries.keys()].find((from) => attributeKey(from) === attributeKey(text));
  const near = same ?? nearestName(text, entries.keys(), (from) => from);
  return near === undefined ? '' : `: did you mean ${quoted(near)}?`;
}
