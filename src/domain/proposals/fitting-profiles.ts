/** Which profiles read files with the columns of a file: a person who has one of them need not map its columns again. */
import type { StoredInspection } from '../inspection/model/inspection.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { sourcesOf } from '../profiles/model/column-rule.js';
import { columnsOfContinuation } from '../profiles/model/continued-rows.js';
import type { Profile } from '../profiles/model/profile.js';
import type { ProfileOfType } from '../profiles/profiles-of-type.js';
import { formDifferences } from './compose/form-differences.js';
import type { FittingProfile } from './model/proposal.js';

/** Files of all kinds have a SKU and a name: fewer columns tell nothing. */
const LEAST_COLUMNS = 3;
const MOST_NAMED = 5;

/**
 * A profile fits if the file has all columns that it needs, and an import by it reads the rows that were inspected.
 * @param pause is called often
 * @returns those that read most columns of the file, the saved ones before those that come with Longshore
 */
export async function fittingProfiles(
  { columns, format }: Pick<StoredInspection, 'columns' | 'format'>,
  profiles: readonly ProfileOfType[],
  pause: () => Promise<void>,
): Promise<FittingProfile[]> {
  const names = new Set(columns.map(({ name }) => attributeKey(name)));
  const found: FittingProfile[] = [];
  for (const { name, profile, description } of profiles) {
    await pause();
    const { needed, read } = columnsOf(profile);
    const known = [...read].filter((column) => names.has(column)).length;
    const fits = known >= LEAST_COLUMNS && [...needed].every((column) => names.has(column));
    if (fits && formDifferences(format, profile).length === 0) found.push({ name, description, columns: known });
  }
  return found.sort((a, b) => b.columns - a.columns).slice(0, MOST_NAMED);
}

function columnsOf({ columns, skipRowsWhen, continuationRows }: Profile) {
  const needed = new Set<string>();
  const read = new Set<string>();
  for (const rule of columns) {
    for (const column of sourcesOf(rule).map(attributeKey)) {
      read.add(column);
      if (rule.optional !== true) needed.add(column);
    }
  }
  const others = [
    ...skipRowsWhen.map(({ column }) => column),
    ...(continuationRows === undefined ? [] : columnsOfContinuation(continuationRows)),
  ];
  for (const column of others.map(attributeKey)) {
    read.add(column);
    needed.add(column);
  }
  return { needed, read };
}
