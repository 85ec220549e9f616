/** The step that fills empty cells. It is the only one that concerns them. */
import { z } from 'zod';
import { defineStep, someText } from './step.js';

export const defaultStep = defineStep({
  schema: z.strictObject({ step: z.literal('default'), value: someText }),
  compile:
    ({ value }) =>
    (text) =>
      text === '' ? value : text,
});
