/** The step that puts a text before a cell that is not empty. */
import { z } from 'zod';
import { defineStep, someText } from './step.js';

export const prefixStep = defineStep({
  schema: z.strictObject({ step: z.literal('prefix'), text: someText }),
  compile:
    ({ text: prefix }) =>
    (text) =>
      prefix + text,
  inverse: ({ text: prefix }) => ({
    write: (text) => (text.startsWith(prefix) ? text.slice(prefix.length) : null),
    loss: null,
  }),
});
