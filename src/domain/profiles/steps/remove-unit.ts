/** The step that removes a unit behind a number: `12,5 cm`. */
import { z } from 'zod';
import { defineStep, wordKey, words } from './step.js';

export const removeUnitStep = defineStep({
  schema: z.strictObject({
    step: z.literal('removeUnit'),
    units: words.min(1).meta({ description: 'Compared without case. A cell without a unit stays as it is' }),
  }),
  compile: ({ units }) => {
    // The longest first: of "cm" and "m", it is the longer one that the value has.
    const keys = units.map(wordKey).sort((one, other) => other.length - one.length);
    return (text) => {
      const trimmed = text.trim().normalize('NFC');
      const lower = trimmed.toLowerCase();
      // A few letters change their length with their case; then nothing can be cut at a known place.
      if (lower.length !== trimmed.length) return text;
      for (const key of keys) {
        const end = trimmed.length - key.length;
        if (end > 0 && lower.endsWith(key) && isBoundary(trimmed.charAt(end - 1), key)) {
          return trimmed.slice(0, end).trimEnd();
        }
      }
      return text;
    };
  },
  inverse: ({ units }) => {
    const [unit] = units;
    if (unit !== undefined && units.length === 1) return { write: (text) => `${text} ${unit}`, loss: null };
    return { write: (text) => text, loss: 'with several units it is not known which one a value had: none is written' };
  },
});

/** Whether a unit may begin after a character: a unit of letters does not begin within a word. */
function isBoundary(before: string, unit: string): boolean {
  return !(/\p{L}/u.test(before) && /^\p{L}/u.test(unit));
}
