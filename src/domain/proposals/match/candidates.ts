/** Finds which of our columns a column of a file may be, and how sure that is. */

import type { AttributeDefinition, AttributeTypeName } from '../../catalog/model/attribute-definition.js';
import { nameInGroup } from '../../formats/table/header-groups.js';
import type { Column, ColumnType } from '../../inspection/model/column.js';
import type { ColumnNote } from '../../inspection/model/inspection.js';
import { quoted } from '../../kernel/value-problem.js';
import type { Verdict } from '../model/proposal.js';
import type { Concept } from './dictionary.js';
import { canDoDamage, conceptOf, looseKey } from './name-keys.js';
import type { NearNames } from './near-names.js';
import type { OptionValues } from './option-values.js';
import { labelOf, type PathLabel } from './path-label.js';
import type { Target, Targets } from './targets.js';

/** How a column was recognized, the strongest first: what is said by name goes before what is only alike. */
export const WAYS = ['chosen', 'alias', 'name', 'spelling', 'meaning', 'values', 'near'] as const;
type Way = (typeof WAYS)[number];

export interface Candidate {
  readonly target: Target;
  readonly way: Way;
  readonly verdict: Verdict;
  readonly reason: string;
}

export interface NamedColumn {
  readonly column: Column;
  readonly concept: Concept | null;
  /** What the path of JSON or XML, or its name in its group, says of the column; null: no more than its name does. */
  readonly label: PathLabel | null;
  /** Whether its name is a path of JSON or XML. */
  readonly isPath: boolean;
  /** The different values of the column, if all are known. */
  readonly values: readonly string[] | null;
  /** How some of its cells are written; undefined: there is nothing to be said. */
  readonly note: ColumnNote | undefined;
}

interface Search {
  readonly targets: Targets;
  readonly near: NearNames;
  readonly options: OptionValues;
}

/** How a file names its columns: by paths of JSON or XML, or by two rows, of which the upper one names groups. */
interface Naming {
  readonly isNested: boolean;
  readonly isGrouped: boolean;
  readonly notes: ReadonlyMap<number, ColumnNote>;
}

/** The column with what its name means. */
export function namedColumn(
  column: Column,
  values: readonly string[] | null,
  { isNested: isPath, isGrouped, notes }: Naming,
): NamedColumn {
  const label = isPath ? labelOf(column.name) : isGrouped ? groupLabel(column.name) : null;
  const whole = label === null || !isPath ? conceptOf(column.name, column.locale) : null;
  const concept = whole ?? (label === null ? null : conceptOf(label.meaning));
  return { column, values, concept, label, isPath, note: notes.get(column.index) };
}

/** A new attribute has the whole name, which other columns do not have. */
function groupLabel(name: string): PathLabel | null {
  const meaning = nameInGroup(name);
  return meaning === null ? null : { name, meaning };
}

/** The targets that a column may be, the most probable first. */
export async function candidatesOf(named: NamedColumn, search: Search): Promise<readonly Candidate[]> {
  const { column, label } = named;
  const found = await candidatesNamed(named, column.name, search);
  // What the whole name says goes before what a part of it does.
  if (label === null || found.some(({ way }) => way !== 'near' && way !== 'values')) return found;
  const byLabel = await candidatesNamed(named, label.meaning, search);
  return byLabel.length > 0 ? byLabel : found;
}

async function candidatesNamed(named: NamedColumn, name: string, search: Search): Promise<readonly Candidate[]> {
  const { targets } = search;
  const { column } = named;
  const alias = targets.aliased(name);
  if (alias !== undefined) {
    const reason = `The settings of the site name ${quoted(name)} as another name of ${quoted(alias.name)}.`;
    return [fitted(column, { target: alias, way: 'alias', verdict: 'certain', reason })];
  }
  const exact = targets.named(name);
  if (exact.length > 0) {
    const reason = (target: Target) =>
      looseKey(target.name) === looseKey(name)
        ? `It has the name of ${quoted(target.name)}.`
        : `It is the name of ${quoted(target.name)} in another language.`;
    const verdict = exact.length === 1 ? 'certain' : 'ambiguous';
    return exact.map((target) => fitted(column, { target, way: 'name', verdict, reason: reason(target) }));
  }
  const possible = (target: Target) => fitsType(column, target.definition);
  const spelled = targets.spelled(looseKey(name)).filter(possible);
  if (spelled.length > 0) return alike(named, spelled, 'spelling', 'certain');
  return otherwise(named, name, search, possible);
}

async function otherwise(
  named: NamedColumn,
  name: string,
  { targets, near, options }: Search,
  possible: (target: Target) => boolean,
): Promise<readonly Candidate[]> {
  const { concept, values } = named;
  const meant = concept === null ? [] : targets.meaning(concept).filter(possible);
  if (meant.length > 0) return alike(named, meant, 'meaning', 'likely');
  const matching = values === null ? [] : options.matching(values).filter(({ target }) => possible(target));
  const isOne = matching.length === 1 || (matching[1]?.share ?? 0) < (matching[0]?.share ?? 0) - 0.15;
  const byValues = matching.slice(0, 5).map(({ target, shared }): Candidate => {
    const reason = `${shared} of its ${values?.length} different values are options of ${quoted(target.name)}.`;
    return { target, way: 'values', verdict: isOne ? 'likely' : 'ambiguous', reason };
  });
  if (byValues.length > 0) return byValues;
  const nearest = await near.to(looseKey(name), possible);
  return nearest.slice(0, 5).map((target): Candidate => {
    const reason = `Its name is like ${quoted(target.name)}, which alone says nothing.`;
    return { target, way: 'near', verdict: 'ambiguous', reason };
  });
}

/** Several that are alike are ambiguous; a likeness alone is never certain for columns that can do damage. */
function alike(
  { column, concept }: NamedColumn,
  found: readonly Target[],
  way: 'spelling' | 'meaning',
  best: Verdict,
): readonly Candidate[] {
  const isDangerous = canDoDamage(column.name, concept);
  const verdict = found.length > 1 ? 'ambiguous' : best === 'certain' && isDangerous ? 'likely' : best;
  return found.slice(0, 10).map((target) => {
    const what =
      way === 'spelling'
        ? `It is ${quoted(target.name)} in another spelling.`
        : `In files of shops it is another word for ${quoted(target.name)}.`;
    const reason = isDangerous ? `${what} A wrong value there can do damage: look at it.` : what;
    return { target, way, verdict, reason };
  });
}

/** A column that has the name of an attribute and other values is the attribute all the same: its rows will say so. */
function fitted(column: Column, candidate: Candidate): Candidate {
  const { definition } = candidate.target;
  if (candidate.verdict !== 'certain' || fitsType(column, definition)) return candidate;
  const reason = `${candidate.reason} Most of its values are ${column.type.value}, though, and the attribute is ${definition?.type}.`;
  return { ...candidate, verdict: 'likely', reason };
}

/** Whether an attribute can hold what a column holds. */
const HELD: Readonly<Record<ColumnType, readonly AttributeTypeName[]>> = {
  empty: ['TEXT', 'INTEGER', 'DECIMAL', 'BOOLEAN', 'DATETIME', 'SERIAL', 'OPTIONS', 'URL'],
  text: ['TEXT', 'OPTIONS'],
  integer: ['INTEGER', 'DECIMAL', 'SERIAL', 'TEXT', 'OPTIONS'],
  decimal: ['DECIMAL', 'TEXT', 'OPTIONS'],
  boolean: ['BOOLEAN', 'TEXT', 'OPTIONS'],
  date: ['DATETIME', 'TEXT'],
  datetime: ['DATETIME', 'TEXT'],
  url: ['URL', 'TEXT'],
  html: ['TEXT'],
};

function fitsType({ type }: Pick<Column, 'type'>, definition: AttributeDefinition | null): boolean {
  if (definition === null) return true;
  const readings = [type.value ?? 'text', ...(type.verdict === 'certain' ? [] : type.rivals)];
  return readings.some((reading) => HELD[reading].includes(definition.type));
}
