/** Questions of a proposal that concern more than one step: about the file, or which of our columns a column is. */
import { z } from 'zod';
import { quoted } from '../../kernel/value-problem.js';
import { proposedRuleSchema } from './proposed-rule.js';
import { rowFilterSchema } from './row-filter.js';

/**
 * What a question is about. `kind`: what kind of file it is. `sheet`, `rowPath`: where its rows are. `key`: which column identifies
 * the items. `category`: in which category items are. `values`: whether a list that is not complete is enough. `column`: what a column is.
 * `rows`: what becomes of rows that may be titles or sums.
 */
const SUBJECTS = [
  'kind',
  'encoding',
  'delimiter',
  'headerRow',
  'sheet',
  'rowPath',
  'key',
  'category',
  'values',
  'column',
  'rows',
] as const;

const formatChange = z.object({
  encoding: z.string().optional(),
  delimiter: z.string().optional(),
  headerRow: z.int().optional(),
  sheet: z.string().optional(),
  rowPath: z.string().optional(),
});

const answerSchema = z.object({
  value: z.string().meta({ description: 'What decides for this answer' }),
  label: z.string().meta({ description: 'What it means' }),
  row: z.int().meta({ description: 'A row of the file that shows it' }),
  example: z.string(),
  format: formatChange.optional().meta({ description: 'Members of `format` that it sets' }),
  rules: z.array(proposedRuleSchema).optional().meta({
    description: 'Rules that take the place of those with the same `from`, and of those with the same `to`',
  }),
  skipRowsWhen: z.array(rowFilterSchema).optional().meta({ description: 'Conditions of `skipRowsWhen` that it adds' }),
});

export const openQuestionSchema = z
  .object({
    about: z.enum(SUBJECTS),
    column: z.string().nullable().meta({ description: 'A column of the file; null: the file as a whole' }),
    question: z.string(),
    readings: z.array(answerSchema).min(1),
  })
  .meta({ id: 'OpenQuestion', description: 'Decide: do what one of `readings` says, and leave the question out' });
export type OpenQuestion = z.output<typeof openQuestionSchema>;
export type OpenAnswer = OpenQuestion['readings'][number];

/** As much of a question as its refusal says. */
export const openQuestionHead = z.strictObject({
  about: z.string(),
  column: z.string().nullable(),
  question: z.string(),
  readings: z.array(
    z.strictObject({
      value: z.string(),
      label: z.string(),
      row: z.int(),
      example: z.string(),
      format: z.unknown().optional(),
      rules: z.unknown().optional(),
      skipRowsWhen: z.unknown().optional(),
    }),
  ),
});

/** Why a profile with this question cannot be used yet. */
export function openQuestionProblem({ about, column, question, readings }: z.output<typeof openQuestionHead>): string {
  const shown = readings.map(
    ({ value, label, row, example }) => `${quoted(value)}: row ${row}, ${quoted(example)}, ${label}`,
  );
  const where = column === null ? `the question about the ${about}` : `the question about the column ${quoted(column)}`;
  return `${where} is open: ${question} (${shown.join('; ')}): decide, and leave the question out`;
}
