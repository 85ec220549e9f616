/** Finds the columns that a profile names in the header of a file. */
import { isAddedColumn } from '../../formats/model/added-columns.js';
import { HeaderProblems } from '../../formats/model/rejected-input.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { NameHints } from '../../kernel/nearest-name.js';
import { quoted } from '../../kernel/value-problem.js';
import { sourcesOf } from '../model/column-rule.js';
import { columnsOfContinuation } from '../model/continued-rows.js';
import { pathsMeant } from '../model/paths-meant.js';
import type { Profile } from '../model/profile.js';

/** The header of a file. */
export interface SourceHeader {
  /** What it says of each column; empty: nothing. */
  readonly header: readonly string[];
  /** The names of the columns: see OpenTable. */
  readonly names: readonly string[];
  readonly row: number;
  /** Whether the row above it names groups of the columns. */
  readonly isGrouped?: boolean | undefined;
  /** Whether the names are paths of JSON or XML. */
  readonly isNested: boolean;
}

export interface FoundColumns {
  /** The index of the column that a rule or a condition names. */
  readonly indexOf: (name: string) => number;
  /** The names of columns that no rule names. */
  readonly unmapped: readonly string[];
}

/** @throws RejectedInput that names all columns that are missing or, if the profile says so, unknown */
export function findColumns(
  { columns, skipRowsWhen, unknownColumns, continuationRows }: Profile,
  source: SourceHeader,
): FoundColumns {
  const { header, names, row, isGrouped = false, isNested } = source;
  const place = isGrouped ? `rows ${row - 1} and ${row}` : `row ${row}`;
  const byKey = new Map<string, number>();
  for (const [index, name] of names.entries()) if (!byKey.has(attributeKey(name))) byKey.set(attributeKey(name), index);
  const hints = new NameHints(
    () => names,
    (name) => name,
  );
  const problems = new HeaderProblems();
  const named = new Set<number>();
  const missing = new Set<string>();
  const ignored = new Set<string>();
  const look = (name: string, by: string) => {
    const at = byKey.get(attributeKey(name));
    if (at !== undefined) {
      named.add(at);
      return;
    }
    if (missing.has(attributeKey(name))) return;
    missing.add(attributeKey(name));
    const near = hints.nearest(name);
    const hint = near === undefined ? listed(names) : `did you mean ${quoted(near)}?`;
    problems.add(
      'MISSING_COLUMN',
      `${by} the column ${quoted(name)}, which the header of the file, ${place}, does not have: ${hint}`,
      name,
    );
  };
  for (const rule of columns) {
    for (const name of sourcesOf(rule)) {
      if (rule.optional === true && !byKey.has(attributeKey(name))) continue;
      // A column that is to be ignored need not be there.
      if (rule.to === null) ignored.add(attributeKey(name));
      else look(name, 'the profile reads');
    }
  }
  for (const { column } of skipRowsWhen) look(column, 'the profile leaves out rows by');
  if (continuationRows !== undefined && !isNested) {
    const { collect } = continuationRows;
    const there = collect.filter(({ column }) => byKey.has(attributeKey(column)));
    for (const name of columnsOfContinuation({ ...continuationRows, collect: there }))
      look(name, 'the profile joins rows by');
  }
  const isMeant = isNested ? pathsMeant(columns.flatMap(sourcesOf)) : () => false;
  const unmapped = names.filter((name, index) => {
    const isNamed = named.has(index) || ignored.has(attributeKey(name)) || isMeant(name);
    // Columns that begin with "_" are ignored, as in our own files, and one without a name is none.
    return !isNamed && (header[index] ?? '').trim() !== '' && !name.startsWith('_') && !isAddedColumn(name);
  });
  if (unknownColumns === 'fail') {
    for (const name of unmapped) {
      const message = `the column ${quoted(name)} is not in the profile, which accepts no unknown columns: add a rule for it, with "to": null to ignore it, or set unknownColumns`;
      problems.add('UNKNOWN_COLUMN', message, name);
    }
  }
  problems.throwIfAny();
  return {
    indexOf: (name) => byKey.get(attributeKey(name)) ?? -1,
    unmapped: unknownColumns === 'warn' ? unmapped : [],
  };
}

const SHOWN_NAMES = 20;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).map((name) => quoted(name));
  return `its columns are ${shown.join(', ')}${names.length > SHOWN_NAMES ? ' …' : ''}`;
}
