/** The conditions of a profile under which rows of the file are left out. */

import { RE2JS } from 're2js';
import { z } from 'zod';
import { isStorable } from '../../kernel/characters.js';
import { describePatternFault } from '../../kernel/pattern-fault.js';
import { sourceColumn } from './column-rule.js';

const MAX_PATTERN_CHARACTERS = 500;
const MAX_PATTERN_SIZE = 500;
const MAX_TEXTS = 1_000;

const pattern = z
  .string()
  .min(1)
  .max(MAX_PATTERN_CHARACTERS)
  .check(({ value, issues }) => {
    try {
      compileRowPattern(value);
    } catch (error) {
      issues.push({ code: 'custom', input: value, message: describePatternFault(error) });
    }
  });

export const rowFilterSchema = z.strictObject({
  column: sourceColumn.meta({ description: 'A column of the file' }),
  is: z.union([
    z.literal('empty'),
    z
      .strictObject({
        equals: z
          .array(z.string().max(1_000).refine(isStorable))
          .min(1)
          .max(MAX_TEXTS)
          .optional()
          .meta({ description: 'One of these texts, without outer blanks' }),
        matches: pattern.optional().meta({
          description: 'An expression of RE2 that describes the whole cell, without outer blanks',
        }),
      })
      .refine(({ equals, matches }) => (equals === undefined) !== (matches === undefined), {
        message: 'needs either "equals" or "matches"',
      }),
  ]),
});

/** The rows that one condition leaves out. */
export type RowFilter = z.output<typeof rowFilterSchema>;

/** A test of whole texts, whose time is linear in their length. @throws Error that says what is wrong with the pattern */
export function compileRowPattern(text: string): (cell: string) => boolean {
  const compiled = RE2JS.compile(text);
  const size = compiled.programSize();
  if (size > MAX_PATTERN_SIZE) {
    throw new Error(`the pattern has a size of ${size}; at most ${MAX_PATTERN_SIZE} is allowed: use smaller counts`);
  }
  return (cell) => compiled.matches(cell);
}
