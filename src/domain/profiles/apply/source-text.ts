/** What a row of the source holds for a column of ours, before any step. */
import type { ColumnRule } from '../model/column-rule.js';

/** How a rule reads the columns of the source. */
type SourceRule = Pick<ColumnRule, 'constant' | 'combine' | 'joinWith'>;

/** @param at indexes of the columns of the source that the rule reads */
export function sourceTextOf(rule: SourceRule, at: readonly number[]): (cells: readonly string[]) => string {
  const { constant } = rule;
  if (constant !== undefined) return () => constant;
  const joinWith = joinerOf(rule);
  return (cells) => {
    const filled = at.flatMap((index) => (isFilled(cells[index]) ? [cells[index] as string] : []));
    return joinWith === null ? (filled[0] ?? '') : filled.map((text) => text.trim()).join(joinWith);
  };
}

/** What a rule puts between the texts of several columns; null: it reads the first that has one. */
export function joinerOf({ combine, joinWith }: Omit<SourceRule, 'constant'>): string | null {
  return combine === 'join' ? (joinWith ?? ' ') : null;
}

export function isFilled(cell: string | undefined): boolean {
  return cell !== undefined && cell !== '' && cell.trim() !== '';
}
