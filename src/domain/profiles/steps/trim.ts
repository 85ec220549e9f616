/** The step that removes blanks at the beginning and at the end. */
import { z } from 'zod';
import { AS_IT_IS, defineStep } from './step.js';

export const trimStep = defineStep({
  schema: z.strictObject({ step: z.literal('trim') }),
  compile: () => (text) => text.trim(),
  inverse: () => AS_IT_IS,
});
