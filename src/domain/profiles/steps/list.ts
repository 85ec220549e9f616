/** The step that reads several values from one cell. The steps after it convert each of them. */
import { z } from 'zod';
import { AS_IT_IS, defineStep, someText } from './step.js';

export const listStep = defineStep({
  schema: z.strictObject({
    step: z.literal('list'),
    separator: someText.meta({
      description: 'What is between the values. The steps after this one convert each value',
    }),
  }),
  // What divides and joins the values stands with the rules of columns, because the other steps are between the two.
  compile: () => (text) => text,
  inverse: () => AS_IT_IS,
});
