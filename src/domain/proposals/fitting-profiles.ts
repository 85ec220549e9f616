/** Which profiles read files with the columns of a file: a person who has one of them need not map its columns again. */
import type { InspectedFormat, StoredInspection } from '../inspection/model/inspection.js';
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
    if (fits && readsTheSame(format, profile)) found.push({ name, description, columns: known });
  }
  return found.sort((a, b) => b.columns - a.columns).slice(0, MOST_NAMED);
}

/** Whether what a profile says of the form, and what holds where it says nothing, is the form that the file has. */
function readsTheSame(format: InspectedFormat, profile: Profile): boolean {
  const { headerRow, sheet, encoding, rowPath } = profile.format;
  if (formDifferences(format, profile).length > 0) return false;
  if ((rowPath === undefined) !== (format.rowPath === null)) return false;
  // The first row that is not blank is the header, and the first sheet that is not hidden has the rows.
  const hasTitles = format.titleLines.some((line) => line.trim() !== '');
  if (headerRow === undefined && hasTitles) return false;
  const first = format.sheets?.find(({ hidden }) => !hidden) ?? format.sheets?.[0];
  if (format.sheet !== null && (sheet ?? first?.name) !== format.sheet) return false;
  const { value, rivals } = format.encoding;
  const isText = format.delimiter !== null;
  return !isText || value === null || [value, ...rivals].includes((encoding ?? 'utf-8').toLowerCase());
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
