/** The step that puts a text behind a cell that is not empty. */
import { z } from 'zod';
import { defineStep, someText } from './step.js';

export const suffixStep = defineStep({
  schema: z.strictObject({ step: z.literal('suffix'), text: someText }),
  compile:
    ({ text: suffix }) =>
    (text) =>
      text + suffix,
});
