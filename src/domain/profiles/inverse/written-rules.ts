/** The rules of a profile, prepared for writing rows: where their sources are, and both ways through their steps. */
import { attributeKey } from '../../kernel/attribute-key.js';
import type { ColumnRule } from '../model/column-rule.js';
import { columnsOfContinuation } from '../model/continued-rows.js';
import type { Profile } from '../model/profile.js';
import { inverseOf } from '../steps/registry.js';
import { compileForward, type Forward } from './forward.js';

/** A rule that fills a column of ours. */
export interface WrittenRule {
  /** Which of the cells of ours it is. */
  readonly index: number;
  readonly to: string;
  /** Where its sources are in a row of the file; empty for a constant. */
  readonly places: readonly number[];
  readonly forward: Forward;
  readonly back: (cell: string) => string | null;
  readonly split: ColumnRule['split'];
  /** Of several sources: what is between them if all are joined; undefined: the first that is not empty is taken. */
  readonly joinWith: string | undefined;
}

/** The columns of the file that a profile names, and its rules. */
export interface WrittenRules {
  readonly header: readonly string[];
  readonly rules: readonly WrittenRule[];
  readonly placeOf: (column: string) => number;
}

/** What of a profile says how a row is written. */
export type WrittenProfile = Pick<Profile, 'columns' | 'skipRowsWhen' | 'continuationRows'>;

/** The columns are those of the rules in their order, then those of the conditions for rows. */
export function writtenRules({ columns, skipRowsWhen, continuationRows }: WrittenProfile): WrittenRules {
  const header: string[] = [];
  const places = new Map<string, number>();
  const placeOf = (column: string): number => {
    const key = attributeKey(column);
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, header.length);
    header.push(column);
    return header.length - 1;
  };
  const rules: WrittenRule[] = [];
  for (const rule of columns) {
    const sources = typeof rule.from === 'string' ? [rule.from] : (rule.from ?? []);
    const found = sources.map(placeOf);
    if (rule.to === null) continue;
    const { to, split, combine, joinWith = ' ', steps } = rule;
    const ways = { forward: compileForward(rule, found), back: compileInverse(steps) };
    const joined = combine === 'join' ? joinWith : undefined;
    rules.push({ index: rules.length, to, places: found, ...ways, split, joinWith: joined });
  }
  for (const { column } of skipRowsWhen) placeOf(column);
  if (continuationRows !== undefined) columnsOfContinuation(continuationRows).forEach(placeOf);
  return { header, rules, placeOf };
}

/** The way back through the steps of a rule: from a cell of ours to the cell that the file had. */
type WriteBack = (text: string) => string | null;

/** @returns what may have been in the file; null when a step says that it makes no such text */
function compileInverse(steps: ColumnRule['steps']): WriteBack {
  const at = steps.findIndex(({ step }) => step === 'list');
  const list = steps[at];
  if (list === undefined || list.step !== 'list') return chain(steps);
  const before = chain(steps.slice(0, at));
  const each = chain(steps.slice(at + 1));
  return (text) => {
    const values = text.split(';').map(each);
    return values.includes(null) ? null : before(values.join(list.separator));
  };
}

function chain(steps: ColumnRule['steps']): WriteBack {
  const inverses = steps.map((step) => inverseOf(step).write).reverse();
  return (text) => {
    let value: string | null = text;
    for (const write of inverses) {
      value = write(value);
      if (value === null) return null;
    }
    return value;
  };
}
