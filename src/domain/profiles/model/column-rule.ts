/** The rule of a profile for one column of ours: which columns of the file it is made of, and how. */
import { z } from 'zod';
import { attributeKey } from '../../kernel/attribute-key.js';
import { isStorable } from '../../kernel/characters.js';
import { quoted } from '../../kernel/value-problem.js';
import { stepSchema } from '../steps/registry.js';
import { undecidedProblems } from './undecided.js';

const MAX_NAME_CHARACTERS = 1_000;
const MAX_SOURCES = 100;
const MAX_STEPS = 30;
const MAX_CONSTANT_CHARACTERS = 65_536;
const UNSTORABLE = 'contains a NUL character or an unpaired surrogate, which no file holds';

/** The name of a column of the source. */
export const sourceColumn = z.string().min(1).max(MAX_NAME_CHARACTERS).refine(isStorable, UNSTORABLE);

const split = z
  .strictObject({
    separator: z.string().min(1).max(100).refine(isStorable, UNSTORABLE).optional(),
    part: z.int().min(1).max(10_000).optional().meta({ description: 'Which of the parts, from 1' }),
    start: z.int().min(1).max(1_000_000).optional().meta({ description: 'The first character, from 1' }),
    end: z.int().min(1).max(1_000_000).optional().meta({
      description: 'The last character. Default: the last one of the cell',
    }),
  })
  .check(({ value, issues }) => {
    const { separator, part, start, end } = value;
    const byPlace = start !== undefined;
    const isComplete = byPlace
      ? separator === undefined && part === undefined
      : separator !== undefined && part !== undefined && end === undefined;
    if (!isComplete) {
      const message = 'needs either "separator" and "part", or "start" with or without "end"';
      issues.push({ code: 'custom', input: value, message });
    } else if (byPlace && end !== undefined && end < start) {
      issues.push({ code: 'custom', input: value, path: ['end'], message: 'is before the start' });
    }
  });

const rule = z
  .strictObject({
    to: z.string().trim().min(1).max(MAX_NAME_CHARACTERS).refine(isStorable, UNSTORABLE).nullable().meta({
      description: 'A column of our files: SKU, Category Node, the name of an attribute. null: it is ignored',
    }),
    from: z
      .union([sourceColumn, z.array(sourceColumn).min(1).max(MAX_SOURCES)])
      .optional()
      .meta({ description: 'The column of the file, or several' }),
    optional: z.boolean().optional().meta({
      description: 'The file may lack the column, whose cells are then empty. Default: a file without it is rejected',
    }),
    combine: z
      .enum(['first', 'join'])
      .optional()
      .meta({ description: 'Of several columns: the first that is not empty (the default), or all of them' }),
    joinWith: z.string().max(100).refine(isStorable, UNSTORABLE).optional().meta({ description: 'Default: a space' }),
    split: split.optional().meta({ description: 'Only a part of the cell' }),
    constant: z.string().min(1).max(MAX_CONSTANT_CHARACTERS).refine(isStorable, UNSTORABLE).optional().meta({
      description: 'What each row has in the column, whatever the file says',
    }),
    steps: z.array(stepSchema).max(MAX_STEPS).default([]).meta({ description: 'Conversions, in this order' }),
  })
  .check(({ value, issues }) => {
    for (const [member, message] of contradictions(value)) {
      issues.push({ code: 'custom', input: value, path: [member], message });
    }
  });

/** What becomes of columns of the source. */
export type ColumnRule = z.output<typeof rule>;

export const columnRuleSchema = z.preprocess((given, context) => {
  for (const { path, message } of undecidedProblems(given)) {
    context.addIssue({ code: 'custom', path, message, input: given, continue: false });
  }
  return given;
}, rule);

/** The columns of the source that a rule reads. */
export function sourcesOf({ from }: Pick<ColumnRule, 'from'>): readonly string[] {
  return from === undefined ? [] : typeof from === 'string' ? [from] : from;
}

type RuleMember = keyof ColumnRule;

function contradictions(given: ColumnRule): [RuleMember, string][] {
  const { to, from, optional, combine, joinWith, split: part, constant, steps } = given;
  const sources = sourcesOf(given);
  const found: [RuleMember, string][] = [];
  if (constant !== undefined && from !== undefined) {
    found.push(['constant', 'stands beside "from": give one of the two']);
  }
  if (constant === undefined && from === undefined) {
    found.push(['from', 'is missing: name the column of the file, or give a "constant"']);
  }
  if (to === null && (constant !== undefined || part !== undefined || steps.length > 0)) {
    found.push(['to', 'is null, so that the column is ignored: leave out "constant", "split" and "steps"']);
  }
  if (optional !== undefined && from === undefined) found.push(['optional', 'needs a column in "from"']);
  if (combine !== undefined && sources.length < 2) {
    found.push(['combine', 'needs several columns in "from"']);
  }
  if (joinWith !== undefined && combine !== 'join') found.push(['joinWith', 'needs "combine": "join"']);
  if (part !== undefined && constant !== undefined) found.push(['split', 'needs a column in "from"']);
  const repeated = sources.find((name, index) =>
    sources.some((other, before) => before < index && attributeKey(other) === attributeKey(name)),
  );
  if (repeated !== undefined) found.push(['from', `names ${quoted(repeated)} twice`]);
  if (steps.filter(({ step }) => step === 'list').length > 1) {
    found.push(['steps', 'have two lists: a cell is divided once']);
  }
  return found;
}
