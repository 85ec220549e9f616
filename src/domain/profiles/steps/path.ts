/** The step that reads the path of a category: `Fahrräder > E-Bikes`. */
import { z } from 'zod';
import { formatPath, parsePath } from '../../catalog/categories/category-path.js';
import { quoted } from '../../kernel/value-problem.js';
import { defineStep, StepFailure, someText } from './step.js';

export const pathStep = defineStep({
  schema: z.strictObject({
    step: z.literal('path'),
    separator: someText.meta({ description: 'What is between the names of categories' }),
    root: someText.optional().meta({
      description: 'The category below which the paths begin, written as in our files: `Shop->Online`',
    }),
  }),
  compile: ({ separator, root }) => {
    const above = root === undefined ? [] : parsePath(root);
    const divider = separator.trim() === '' ? separator : separator.trim();
    return (text) => {
      const names = text.split(divider).map((name) => name.trim());
      // A separator at the beginning or at the end says nothing: `/Women/Tops/`.
      while (names.length > 1 && names[0] === '') names.shift();
      while (names.length > 1 && names.at(-1) === '') names.pop();
      if (names.length === 1 && names[0] === '') return '';
      if (names.includes(''))
        return new StepFailure(`${quoted(text)} has two separators ${quoted(divider)} with no name between them`);
      return formatPath([...above, ...names]);
    };
  },
  inverse: ({ separator, root }) => {
    const above = root === undefined ? [] : parsePath(root);
    return {
      write: (path) => {
        const names = parsePath(path);
        const isBelow = names.length > above.length && above.every((name, index) => name === names[index]);
        return isBelow ? names.slice(above.length).join(separator) : null;
      },
      loss: null,
    };
  },
});
