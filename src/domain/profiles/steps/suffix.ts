/** The step that puts a text behind a cell that is not empty. */
import { z } from 'zod';
import { defineStep, someText } from './step.js';

export const suffixStep = defineStep({
  schema: z.strictObject({ step: z.literal('suffix'), text: someText }),
  compile:
    ({ text: suffix }) =>
    (text) =>
      text + suffix,
  inverse: ({ text: suffix }) => ({
    write: (text) => (text.endsWith(suffix) ? text.slice(0, -suffix.length) : null),
    loss: null,
  }),
});
