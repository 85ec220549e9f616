/** The step that changes the case of letters. */
import { z } from 'zod';
import { defineStep } from './step.js';

export const caseStep = defineStep({
  schema: z.strictObject({ step: z.literal('case'), to: z.enum(['upper', 'lower', 'title']) }),
  compile: ({ to }) => {
    if (to === 'upper') return (text) => text.toUpperCase();
    if (to === 'lower') return (text) => text.toLowerCase();
    return (text) =>
      text
        .toLowerCase()
        .replace(/(^|[^\p{L}\p{N}\p{M}'’])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
  },
  inverse: () => ({ write: (text) => text, loss: 'texts are written with the case that the step has given them' }),
});
