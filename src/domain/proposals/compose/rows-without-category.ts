/** Rows that have no category in their own column, as those of variants and of further images in the files of shops. */
import type { DefinitionCategory } from '../../catalog/site-definitions.js';
import type { Column } from '../../inspection/model/column.js';
import { quoted } from '../../kernel/value-problem.js';
import type { ProposedRule } from '../../profiles/model/proposed-rule.js';
import { type CategoryPath, categoryPath } from './category-paths.js';
import type { Draft } from './draft.js';

/** Some cells of every file are empty. */
const LEAST_FILLED = 0.95;
/** If so many rows have no category, it is no mistake. */
const LEAST_EMPTY = 0.25;
const REST = 'Uncategorized';

/** Whether more rows have no category than have none by mistake. */
export function isSparse({ rows }: Draft, { filled }: Column): boolean {
  return filled < rows * LEAST_FILLED;
}

/** What is said of such rows. */
export function emptyText({ rows }: Draft, { filled }: Column): string[] {
  const empty = rows - filled;
  return empty <= 0 ? [] : [`${empty} of ${rows} rows have none, and fail if their items are new.`];
}

/**
 * Asks what becomes of such rows, if they are many.
 * @param rule what reads the column
 * @returns the category that they may be put into; null: it is not asked
 */
export function askForRest(
  draft: Draft,
  column: Column,
  rule: ProposedRule,
  places: ReadonlyMap<string, DefinitionCategory>,
): CategoryPath | null {
  const { rows } = draft;
  const empty = rows - column.filled;
  if (empty < rows * LEAST_EMPTY) return null;
  const rest = categoryPath([REST], places);
  const cell = draft.cellOf(column);
  draft.questions.push({
    about: 'category',
    column: column.name,
    question: `${empty} of ${rows} rows have no category in ${quoted(column.name)}. What becomes of them?`,
    readings: [
      {
        ...{ value: REST, label: `they are put into the category ${quoted(REST)}`, ...cell },
        rules: [{ ...rule, steps: [...rule.steps, { step: 'default', value: rest.path }] }],
      },
      { value: 'none', label: 'they have none, and fail unless their items exist already', ...cell, rules: [rule] },
    ],
  });
  return rest;
}
