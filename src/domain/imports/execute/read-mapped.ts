/** Reads a file by a profile. Its plan is that of a file of ours, with what its columns are called in the source. */
import { type MappedInput, planMapped } from '../../formats/mapped/plan-mapped.js';
import type { RowMapper } from '../../formats/mapped/table-mapping.js';
import { JOB_COLUMN } from '../../formats/model/added-columns.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { DEFAULT_LIMITS } from '../../formats/model/source-limits.js';
import { compileProfile, type MappedTable } from '../../profiles/compile-profile.js';
import type { KeptProfile } from '../../profiles/model/kept-profile.js';
import { profileSchema } from '../../profiles/model/profile.js';
import type { ImportJob } from '../model/import-jobs.js';
import { type RowApplier, workbookColumns } from '../rows/row-applier.js';
import type { FilePlan } from './file-plan.js';
import { keyNotFound } from './key-not-found.js';
import { readHeaderOf } from './wrong-file-type.js';

/** @throws RejectedInput */
export async function readMapped(
  given: MappedInput,
  job: ImportJob,
  applier: RowApplier,
  { document }: KeptProfile,
): Promise<FilePlan> {
  const profile = profileSchema.parse(document);
  const compiled = compileProfile(profile);
  const { headerCells } = compiled;
  const oursOf = (cells: readonly string[]) =>
    fittingCatalog(() => ({
      keyColumn: readHeaderOf(job, cells, () => applier.readHeader(cells)),
      columns: workbookColumns(applier, cells),
    }));
  let keyColumn = -1;
  const input = { ...given, options: {}, limits: { ...given.limits, maxColumns: DEFAULT_LIMITS.maxColumns } };
  const opened: MappedTable[] = [];
  const seen: Seen = { jobId: '', hasKey: false };
  let rowPath: string | undefined;
  const notFound = async () => {
    if (rowPath === undefined || seen.hasKey || keyColumn < 0) return undefined;
    return keyNotFound(input, profile, compiled.tableOptions, headerCells[keyColumn] ?? '');
  };
  const plan = await planMapped(input, {
    options: compiled.tableOptions,
    joinsRows: compiled.joinsRows,
    open: (table) => {
      const ours = oursOf(compiled.headerCellsFor(table.names));
      keyColumn = ours.keyColumn;
      const mapped = compiled.open(table, ours);
      opened.push(mapped);
      rowPath = table.format.rowPath ?? undefined;
      const jobColumn = table.names.findIndex((name) => name.toLowerCase() === JOB_COLUMN);
      return rowPath !== undefined || jobColumn >= 0 ? noting(mapped.mapper, jobColumn, seen) : mapped.mapper;
    },
  }).catch(async (error: unknown) => {
    throw (error instanceof RejectedInput && error.reason === 'NO_ROWS' ? await notFound() : undefined) ?? error;
  });
  const wrong = await notFound();
  if (wrong !== undefined) throw wrong;
  const [{ mapper = null, sourceNames = [], sources = [], unmapped = [] } = {}] = opened;
  const leftOut = mapper?.leftOut() ?? [];
  const failedJobId = seen.jobId === '' ? undefined : seen.jobId;
  const { sourceForm, ...copy } = plan;
  const originals = sourceForm === undefined ? undefined : { ...sourceForm, columns: sources };
  return { ...copy, keyColumn, sourceNames, originals, unmapped, leftOut, rowPath, failedJobId };
}

/** What the rows of a file have said. */
interface Seen {
  /** The id of the job in an error file, which each row names. */
  jobId: string;
  /** Whether a row has a key. */
  hasKey: boolean;
}

function noting(mapper: RowMapper, jobColumn: number, seen: Seen): RowMapper {
  return {
    headerCells: mapper.headerCells,
    keyColumn: mapper.keyColumn,
    joins: mapper.joins,
    get key() {
      return mapper.key;
    },
    textsOf: (cells) => mapper.textsOf(cells),
    leftOut: () => mapper.leftOut(),
    lineOf: (row) => {
      if (seen.jobId === '' && jobColumn >= 0) seen.jobId = (row.cells[jobColumn] ?? '').trim();
      const line = mapper.lineOf(row);
      if (!seen.hasKey) seen.hasKey = mapper.key !== '';
      return line;
    },
  };
}

/** @throws RejectedInput that says that the profile is the cause */
function fittingCatalog<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    const { reason, message, column } = error;
    const explained = `The profile does not fit the catalog. Of the columns that it fills: ${message}`;
    throw new RejectedInput(reason, explained, column === undefined ? {} : { column });
  }
}
