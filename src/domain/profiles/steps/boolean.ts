/** The step that reads the words of a language for true and false. */
import { z } from 'zod';
import { quoted } from '../../kernel/value-problem.js';
import { defineStep, StepFailure, wordKey, words } from './step.js';

const SHOWN_WORDS = 10;

export const booleanStep = defineStep({
  schema: z
    .strictObject({
      step: z.literal('boolean'),
      true: words.min(1).meta({ description: 'The words for true, compared without case' }),
      false: words.min(1).meta({ description: 'The words for false' }),
    })
    .check(({ value, issues }) => {
      const trueWords = new Set(value.true.map(wordKey));
      value.false.forEach((word, index) => {
        if (!trueWords.has(wordKey(word))) return;
        const message = `${quoted(word)} stands for true as well: leave it out of one of the two`;
        issues.push({ code: 'custom', input: value, path: ['false', index], message });
      });
    }),
  result: 'boolean',
  compile: (step) => {
    const values = new Map([
      ...step.false.map((word): [string, string] => [wordKey(word), 'FALSE']),
      ...step.true.map((word): [string, string] => [wordKey(word), 'TRUE']),
    ]);
    const known = `${listed(step.true)} for true or ${listed(step.false)} for false`;
    return (text) =>
      values.get(text) ??
      values.get(wordKey(text)) ??
      new StepFailure(`${quoted(text)} is none of its words: write ${known}`);
  },
  inverse: (step) => {
    const words = new Map([
      ['TRUE', step.true[0]],
      ['FALSE', step.false[0]],
    ]);
    return { write: (text) => words.get(text.toUpperCase()) ?? null, loss: null };
  },
});

function listed(all: readonly string[]): string {
  const shown = all.slice(0, SHOWN_WORDS).map((word) => quoted(word));
  return `${shown.join(', ')}${all.length > SHOWN_WORDS ? ' …' : ''}`;
}
