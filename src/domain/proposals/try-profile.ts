/** Tries a profile on the first rows of an inspected file: what becomes of each cell, before anything is imported. */
import type { Inspection } from '../inspection/model/inspection.js';
import type { Profile } from '../profiles/model/profile.js';
import { type TriedProfile, tryRows } from '../profiles/try-rows.js';
import { formDifferences } from './compose/form-differences.js';

/** What is said of a profile and a file. */
interface Trial extends TriedProfile {
  /** Where the profile says another form than the file has: the rows are those of the file. */
  readonly differences: readonly string[];
}

export function tryProfile({ format, columns, sample }: Inspection, profile: Profile): Trial {
  const tried = tryRows(profile, {
    names: columns.map(({ name }) => name),
    headerRow: format.headerRow.value ?? 1,
    isNested: format.rowPath !== null,
    rows: sample.map(({ row, cells, types }) => ({
      row,
      cells: columns.map(({ index }) => cells[index] ?? ''),
      types: types?.padEnd(columns.length, 't') ?? null,
    })),
  });
  return { ...tried, differences: formDifferences(format, profile) };
}
