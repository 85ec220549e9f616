/** The step that fills empty cells. It is the only one that concerns them. */
import { z } from 'zod';
import { quoted } from '../../kernel/value-problem.js';
import { defineStep, someText } from './step.js';

export const defaultStep = defineStep({
  schema: z.strictObject({ step: z.literal('default'), value: someText }),
  compile:
    ({ value }) =>
    (text) =>
      text === '' ? value : text,
  inverse: ({ value }) => ({
    write: (text) => text,
    loss: `cells that were empty are written as ${quoted(value)}, and items without a value are left out unless NULL can be written`,
  }),
});
