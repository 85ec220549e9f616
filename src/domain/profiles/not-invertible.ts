/** Says of a profile what an export by it cannot write as the file had it. */
import { attributeKey } from '../kernel/attribute-key.js';
import { quoted } from '../kernel/value-problem.js';
import { markOf } from './inverse/continued-rows.js';
import { type ColumnRule, sourcesOf } from './model/column-rule.js';
import type { Profile } from './model/profile.js';
import { inverseOf } from './steps/registry.js';

/** A part of a rule that an export cannot undo. */
export interface NotInvertible {
  /** The column of ours that the rule fills. */
  readonly column: string;
  /** The step, or the member of the rule: `constant`, `combine`, `split`; or `continuationRows`. */
  readonly step: string;
  readonly reason: string;
}

/** What of a profile exports cannot undo, in the order of its rules; empty: they write the file as it was. */
export function notInvertible(profile: Pick<Profile, 'columns' | 'continuationRows'>): NotInvertible[] {
  const whole = new Set(profile.columns.flatMap(wholeSources));
  return profile.columns.flatMap((rule) => {
    const { to } = rule;
    if (to === null) return [];
    const losses = [...ruleLosses(rule, whole), ...stepLosses(rule), ...continuationLosses(rule, profile)];
    return losses.map(({ step, reason }) => ({ column: to, step, reason }));
  });
}

/** The sources that a rule keeps as a whole, so that other rules need not be undone to write them. */
function wholeSources({ to, from, split }: ColumnRule): string[] {
  return to === null || typeof from !== 'string' || split !== undefined ? [] : [attributeKey(from)];
}

function ruleLosses(
  { from, combine, split, constant }: ColumnRule,
  whole: ReadonlySet<string>,
): Omit<NotInvertible, 'column'>[] {
  if (constant !== undefined) {
    const reason = `no column of the file has it: items with another value than ${quoted(constant)} are left out`;
    return [{ step: 'constant', reason }];
  }
  const sources = typeof from === 'string' ? [from] : (from ?? []);
  const open = sources.filter((source) => !whole.has(attributeKey(source)));
  const [first] = open;
  if (first === undefined) return [];
  if (split !== undefined) {
    const reason = `only a part of ${quoted(first)} is kept: what else was in the cell is not written`;
    return [{ step: 'split', reason }];
  }
  if (sources.length < 2 || (combine === 'join' && open.length < 2)) return [];
  const what =
    combine === 'join' ? 'several columns have become one value' : 'it is not known which column had the value';
  return [{ step: 'combine', reason: `${what}: it is written to ${quoted(first)}` }];
}

function continuationLosses(
  rule: ColumnRule,
  { continuationRows }: Pick<Profile, 'continuationRows'>,
): Omit<NotInvertible, 'column'>[] {
  if (continuationRows === undefined || markOf(continuationRows.when) !== null) return [];
  const collected = new Set(continuationRows.collect.map(({ column }) => attributeKey(column)));
  if (!sourcesOf(rule).some((source) => collected.has(attributeKey(source)))) return [];
  const reason = `rows that continue others are known by an expression, of which no text can be made: several values are not written`;
  return [{ step: 'continuationRows', reason }];
}

function stepLosses({ steps }: ColumnRule): Omit<NotInvertible, 'column'>[] {
  return steps.flatMap((step) => {
    const { loss } = inverseOf(step);
    return loss === null ? [] : [{ step: step.step, reason: loss }];
  });
}
