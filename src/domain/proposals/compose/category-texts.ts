/** What the line of a proposal says of the categories of a file. */
import { quoted } from '../../kernel/value-problem.js';
import type { CategoryPath } from './category-paths.js';

/** @param isComplete whether all categories of the file are known */
export function categoriesText(paths: readonly CategoryPath[], isComplete: boolean): string {
  const fresh = paths.filter(({ category }) => category === undefined).length;
  const count = paths.length === 1 ? '1 category' : `${paths.length} categories`;
  return `The file has ${isComplete ? '' : 'at least '}${count}, of which the catalog lacks ${fresh}.`;
}

/** What is wrong with the categories of a file. */
export function wordsOf(inner: readonly string[], wrong: readonly string[]): string[] {
  const [above] = inner;
  const [no] = wrong;
  return [
    ...(above === undefined
      ? []
      : [`Items cannot be in a category that has others below it, such as ${quoted(above)}: their rows will fail.`]),
    ...(no === undefined
      ? []
      : [`${wrong.length} values name no category, such as ${quoted(no)}: their rows will fail.`]),
  ];
}
