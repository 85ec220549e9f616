/**
 * A profile: how the columns of somebody's own file become ours. It is data and no program: what it can do is a closed
 * list.
 */
import { z } from 'zod';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { detectEncoding } from '../../formats/text/detect-encoding.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { isStorable } from '../../kernel/characters.js';
import { nearestName } from '../../kernel/nearest-name.js';
import { quoted } from '../../kernel/value-problem.js';
import { columnRuleSchema, sourcesOf } from './column-rule.js';
import { continuationRowsSchema } from './continued-rows.js';
import { type OpenQuestion, openQuestionHead, openQuestionProblem, openQuestionSchema } from './open-question.js';
import { type ProposedRule, proposedRuleSchema } from './proposed-rule.js';
import { rowFilterSchema } from './row-filter.js';

/** What files are imported as by a profile. */
export const PROFILE_FILE_TYPES = ['ITEM_IMPORT', 'BUNDLE_IMPORT', 'ATTRIBUTE_IMPORT', 'CATEGORY_IMPORT'] as const;
export type ProfileFileType = (typeof PROFILE_FILE_TYPES)[number];

const MAX_RULES = 2_000;
const MAX_FILTERS = 50;
const MAX_SKIPPED_ROWS = 100_000;
export const MAX_HEADER_ROW = 10_000;

const encoding = z
  .string()
  .min(1)
  .max(100)
  .check(({ value, issues }) => {
    try {
      detectEncoding(Buffer.alloc(0), value);
    } catch (error) {
      if (!(error instanceof RejectedInput)) throw error;
      issues.push({ code: 'custom', input: value, message: error.message });
    }
  });

/** Whether a sign can divide the cells of a file: that may be a blank, or a control character such as U+001F. */
function isDelimiter(sign: string): boolean {
  return sign.length === 1 && !['"', "'", '\r', '\n', '\0'].includes(sign) && isStorable(sign);
}

/** How a file is written. */
export const formatSchema = z.strictObject({
  encoding: encoding.optional().meta({ description: 'Such as windows-1252; a byte order mark takes precedence' }),
  delimiter: z
    .string()
    .refine(isDelimiter, 'expected one character, and neither a quote nor a line end')
    .optional()
    .meta({ description: 'Default: detected from the header' }),
  quote: z
    .enum(['"', "'", ''])
    .optional()
    .meta({ description: 'What surrounds cells. Default: `"`; empty: nothing does' }),
  escape: z.enum(['\\']).optional().meta({
    description: 'What stands before a quote within a cell in quotes. Default: nothing, such a quote is doubled',
  }),
  headerRow: z.int().min(1).max(MAX_HEADER_ROW).optional().meta({
    description: 'The row of the header, from 1. Default: the first row that is not blank',
  }),
  headerRows: z.int().min(1).max(2).optional().meta({
    description:
      'How many rows the header has, of which `headerRow` is the last. The upper one of two names groups of columns, which are then `Group – Name`. Default: 1',
  }),
  skipFirst: z
    .int()
    .min(0)
    .max(MAX_SKIPPED_ROWS)
    .optional()
    .meta({ description: 'Data rows to leave out after the header' }),
  skipLast: z.int().min(0).max(MAX_SKIPPED_ROWS).optional().meta({ description: 'Data rows to leave out at the end' }),
  sheet: z
    .string()
    .min(1)
    .max(100)
    .refine(isStorable)
    .optional()
    .meta({ description: 'The sheet of a workbook. Default: the first that is not hidden' }),
  rowPath: z
    .string()
    .min(1)
    .max(1_000)
    .refine(isStorable)
    .optional()
    .meta({ description: 'Where the rows of a JSON or XML file are: `catalog/product`' }),
});

const UNKNOWN_COLUMNS = ['ignore', 'warn', 'fail'] as const;

const members = {
  fileType: z.enum(PROFILE_FILE_TYPES),
  format: formatSchema.prefault({}),
  unknownColumns: z.enum(UNKNOWN_COLUMNS).default('warn').meta({
    description: 'What to do with columns of the file that no rule names',
  }),
  skipRowsWhen: z
    .array(rowFilterSchema)
    .max(MAX_FILTERS)
    .default([])
    .meta({ description: 'A row is left out if one of these holds' }),
  continuationRows: continuationRowsSchema
    .optional()
    .meta({ description: 'Rows of a table that continue the row above them, such as those of further images' }),
};

/** Nothing that a proposal has left open is imported. */
const noOpenQuestions = z
  .array(z.unknown())
  .check(({ value, issues }) => {
    for (const [index, given] of value.entries()) {
      const { success, data } = openQuestionHead.safeParse(given);
      const message = success ? openQuestionProblem(data) : 'is no question of a proposal: leave it out';
      issues.push({ code: 'custom', input: given, path: [index], message });
    }
  })
  .optional()
  .meta({ description: 'Questions of a proposal. Decide each, and leave it out' });

export const profileSchema = z
  .strictObject({
    ...members,
    columns: z.array(columnRuleSchema).min(1).max(MAX_RULES),
    undecided: noOpenQuestions,
  })
  .check(({ value, issues }) => {
    for (const { path, message } of ruleProblems(value)) {
      issues.push({ code: 'custom', input: value, path: [...path], message });
    }
  });

/** The same, as the description of the API names it. */
export const profileDocument = profileSchema.meta({
  id: 'ImportProfileDocument',
  description: 'How the columns of a file become ours',
});

/** How somebody's own files become ours. */
export type Profile = z.output<typeof profileSchema>;

/** A profile as a proposal has it: it can be imported and saved when no step is undecided, and no question is open. */
export type ProposedProfile = Omit<Profile, 'columns' | 'undecided'> & {
  readonly columns: readonly ProposedRule[];
  readonly undecided?: readonly OpenQuestion[];
};

/** For the description of the API: what a proposal answers. */
export const proposedProfileSchema = z
  .object({ ...members, columns: z.array(proposedRuleSchema), undecided: z.array(openQuestionSchema).optional() })
  .meta({ id: 'ProposedImportProfile' });

interface RuleProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What is wrong with the rules beside each other. */
function ruleProblems(profile: Pick<Profile, 'columns' | 'fileType' | 'format' | 'continuationRows'>): RuleProblem[] {
  const { columns, fileType, format } = profile;
  const problems: RuleProblem[] = [...continuationProblems(profile)];
  if (format.escape !== undefined && format.quote === '') {
    const message = 'needs quotes around cells: give another "quote", or leave it out';
    problems.push({ path: ['format', 'escape'], message });
  }
  if (format.headerRows === 2 && (format.headerRow ?? 1) < 2) {
    const message = 'needs "headerRow", the number of the lower of both rows: 2 or more';
    problems.push({ path: ['format', 'headerRows'], message });
  }
  const targets = new Map<string, number>();
  const key = KEY_COLUMNS[fileType];
  for (const [index, { to }] of columns.entries()) {
    if (to === null) continue;
    const path = ['columns', index, 'to'];
    if (to.startsWith('_')) {
      problems.push({
        path,
        message: `${quoted(to)} begins with "_", and such columns are ignored: give null to ignore a column`,
      });
    }
    const first = targets.get(attributeKey(to));
    if (first !== undefined) {
      const message = `${quoted(to)} is filled by the rule ${first} already: fill it by one rule, with several columns in "from"`;
      problems.push({ path, message });
    } else targets.set(attributeKey(to), index);
  }
  if (key !== undefined && !targets.has(attributeKey(key))) {
    const names = columns.flatMap(({ to }) => (to === null ? [] : [to]));
    const near = nearestName(key, names, (name) => name);
    const hint = near === undefined ? '' : `, and ${quoted(near)} is not its name`;
    problems.push({ path: ['columns'], message: `have no rule with "to": "${key}", which identifies the rows${hint}` });
  }
  return problems;
}

function continuationProblems({
  columns,
  format,
  continuationRows,
}: Pick<Profile, 'columns' | 'format' | 'continuationRows'>): RuleProblem[] {
  if (continuationRows === undefined) return [];
  if (format.rowPath !== undefined) {
    const message = 'is for tables, and "rowPath" for JSON and XML, whose rows have lists: leave out one of the two';
    return [{ path: ['continuationRows'], message }];
  }
  const read = new Set(columns.flatMap((rule) => (rule.to === null ? [] : sourcesOf(rule).map(attributeKey))));
  return continuationRows.collect.flatMap(({ column }, index) => {
    if (read.has(attributeKey(column))) return [];
    const message = `collects ${quoted(column)}, which no rule reads: add a rule with "from": ${quoted(column)}`;
    return [{ path: ['continuationRows', 'collect', index, 'column'], message }];
  });
}

/** What identifies the rows, where it is the same for all sites; an attribute can be the SKU of a site. */
const KEY_COLUMNS: Readonly<Partial<Record<ProfileFileType, string>>> = {
  ATTRIBUTE_IMPORT: 'Attribute Title',
  CATEGORY_IMPORT: 'Category Path',
};

/** The name of a profile. It stands in addresses and in options of imports. */
export const profileName = z
  .string()
  .refine((name) => name === name.trim(), 'has blanks at its ends')
  .refine(
    (name) => isStorable(name) && !/[\p{Cc}/\\]/u.test(name),
    'contains a slash, a backslash or a control character',
  )
  .refine((name) => name.normalize('NFC') === name, 'is not in the normal form NFC')
  .min(1)
  .max(100);
