/** Compiles a profile, once for each job: then it opens files of its format, and maps their rows. */
import type { RowMapper } from '../formats/mapped/table-mapping.js';
import { JOB_COLUMN } from '../formats/model/added-columns.js';
import type { WorkbookColumn } from '../formats/model/workbook-column.js';
import { writtenNames } from '../formats/table/header-groups.js';
import type { OpenTable, TableOptions } from '../formats/table/table.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { columnCells } from './apply/column-cells.js';
import { ProfileBytes } from './apply/profile-bytes.js';
import { ProfileMapper } from './apply/profile-mapper.js';
import { RowGroups } from './apply/row-groups.js';
import { rowTest } from './apply/row-tests.js';
import { findColumns } from './apply/source-columns.js';
import { type ColumnRule, sourcesOf } from './model/column-rule.js';
import type { Profile } from './model/profile.js';

/** How our columns are read: by the job that imports them. */
interface OurColumns {
  readonly keyColumn: number;
  readonly columns: readonly WorkbookColumn[];
}

/** A profile that was opened on a file. */
export interface MappedTable {
  readonly mapper: RowMapper;
  /** For each column of ours: what its source is called in the file. */
  readonly sourceNames: readonly string[];
  /** For each column of ours: the indexes of its columns in the file. */
  readonly sources: readonly (readonly number[])[];
  /** The columns of the file that no rule names, if the profile warns of them. */
  readonly unmapped: readonly string[];
}

export interface CompiledProfile {
  /** The columns of ours that the profile fills. */
  readonly headerCells: readonly string[];
  /** The same for a file with these columns: of what it lacks, and may lack, the catalog need have no attribute. */
  headerCellsFor(names: readonly string[]): readonly string[];
  /** How the rows of a file are found. */
  readonly tableOptions: TableOptions;
  /** Whether rows of a table may continue others. */
  readonly joinsRows: boolean;
  /** @throws RejectedInput when the file does not have the columns that the profile names */
  open(table: Pick<OpenTable, 'header' | 'groups' | 'names' | 'format'>, ours: OurColumns): MappedTable;
}

export function compileProfile(profile: Profile): CompiledProfile {
  const rules = profile.columns.filter(({ to }) => to !== null);
  const headerCells = rules.map(({ to }) => to ?? '');
  const { continuationRows: continued } = profile;
  const headerCellsFor = (names: readonly string[]) => {
    const keys = new Set(names.map(attributeKey));
    return rules.map((rule, index) => `${isLeftOut(rule, keys) ? NOT_READ : ''}${headerCells[index]}`);
  };
  return {
    headerCells,
    headerCellsFor,
    tableOptions: { ...profile.format, columns: nestedColumns(profile) },
    joinsRows: continued !== undefined,
    open: ({ header, groups, names, format }, { keyColumn, columns }) => {
      // The error file of XML is a table with the same paths.
      const isNested = format.rowPath !== null || profile.format.rowPath !== undefined;
      const row = format.headerRow;
      const written = writtenNames({ header, groups });
      const found = findColumns(profile, { header: written, names, row, isGrouped: groups !== undefined, isNested });
      const sources = rules.map((rule) => {
        // Of columns that must be there, none is missing.
        const at = sourcesOf(rule)
          .map(found.indexOf)
          .filter((index) => index >= 0);
        return { at, name: at.length === 0 ? nameOfConstant(rule) : at.map((index) => names[index]).join(', ') };
      });
      const cells = rules.map((rule, index) => columnCells(rule, sources[index] ?? NO_SOURCE, columns[index]));
      const tests = profile.skipRowsWhen.map((filter) => rowTest(filter, found.indexOf(filter.column)));
      const bytes = new ProfileBytes(keyColumn, cells, tests, profile.format.quote ?? '"');
      const joins = continued === undefined || isNested ? undefined : new RowGroups(continued, found.indexOf);
      const mapper = new ProfileMapper(headerCellsFor(names), keyColumn, cells, tests, bytes, joins);
      return {
        mapper,
        sourceNames: sources.map(({ name }) => name),
        sources: sources.map(({ at }) => at),
        unmapped: found.unmapped,
      };
    },
  };
}

/** Before the name of a column that is not read, as before those of our own files. */
const NOT_READ = '_lacking ';

/** Whether all cells of a rule are empty, because the file lacks its columns and need not have them. */
function isLeftOut(rule: ColumnRule, keys: ReadonlySet<string>): boolean {
  const fillsEmpty = rule.steps.some(({ step }) => step === 'default');
  return rule.optional === true && !fillsEmpty && !sourcesOf(rule).some((name) => keys.has(attributeKey(name)));
}

/** JSON and XML have no header: a column that the profile names is there, whether or not a row has a value for it. */
function nestedColumns({ columns, skipRowsWhen, unknownColumns }: Profile): TableOptions['columns'] {
  const read = columns.filter(({ to }) => to !== null).flatMap((rule) => sourcesOf(rule));
  const paths = new Set([...read, ...skipRowsWhen.map(({ column }) => column), JOB_COLUMN]);
  return { paths: [...paths], others: unknownColumns !== 'ignore' };
}

const NO_SOURCE = { at: [], name: '' };

/** A constant is in no column of the file. */
function nameOfConstant({ to }: ColumnRule): string {
  return to ?? '';
}
