/** The step that makes one space of several blanks and line ends, and removes those at both ends. */
import { z } from 'zod';
import { AS_IT_IS, defineStep } from './step.js';

export const collapseSpacesStep = defineStep({
  schema: z.strictObject({ step: z.literal('collapseSpaces') }),
  compile: () => (text) => text.replace(/\s+/g, ' ').trim(),
  inverse: () => AS_IT_IS,
});
