/** Says what a row of a file holds for each column of ours, before the profile converts it. */
import { sourceTextOf } from './apply/source-text.js';
import type { ColumnRule } from './model/column-rule.js';

/**
 * @param rules those of a profile, which was checked
 * @param sources see MappedTable
 * @returns the texts of a row: one for each column that the profile fills
 */
export function sourceTexts(
  rules: readonly Pick<ColumnRule, 'to' | 'constant' | 'combine' | 'joinWith'>[],
  sources: readonly (readonly number[])[],
): (cells: readonly string[]) => readonly string[] {
  const texts = rules.filter(({ to }) => to !== null).map((rule, index) => sourceTextOf(rule, sources[index] ?? []));
  return (cells) => texts.map((textOf) => textOf(cells));
}
