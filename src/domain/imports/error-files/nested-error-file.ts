/**
 * The error file of a JSON or XML file that was imported by a profile: JSON has its elements at the path of the source, and
 * for XML it is a table whose columns are the paths of the values, which the same profile reads.
 */
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Db } from '../../../../db/connection.js';
import type { FileStore } from '../../../platform/file-store.js';
import { nestedJsonLines } from '../../formats/error-files/nested-json-lines.js';
import { SourceLines } from '../../formats/error-files/source-lines.js';
import { FILE_FORMATS, formatOf } from '../../formats/file-format.js';
import { DEFAULT_LIMITS } from '../../formats/model/source-limits.js';
import { openTable } from '../../formats/table/open-table.js';
import type { OpenTable, TableInput, TableOptions, TableRow } from '../../formats/table/table.js';
import { encodedPieces } from '../../formats/text/encoded-pieces.js';
import { encodingNamed } from '../../formats/text/encoding-names.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { CompiledProfile } from '../../profiles/compile-profile.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { InputPlan } from '../rows/input-plan.js';
import { failedSourceRows } from './source-rows.js';

/** Those that an error file has besides the columns of its source. */
const ADDED_COLUMNS = 6;
const LINE_END = '\r\n';

interface Services {
  readonly db: Db;
  readonly fileStore: FileStore;
}

interface NestedSource {
  readonly job: ImportJob;
  readonly plan: InputPlan;
  readonly input: TableInput;
  readonly compiled: CompiledProfile;
  readonly fileName: string;
}

/** A row of the error file; without problems, one that the profile leaves out at either end, and will again. */
interface ErrorRow {
  readonly source: TableRow;
  readonly problems: readonly RowProblem[];
}

/** Writes the file; it ends the sink. @returns the encoding of its text */
export async function writeNestedErrors(services: Services, source: NestedSource, into: Writable): Promise<string> {
  const { input, compiled, job } = source;
  const options = compiled.tableOptions;
  const table = await openWhole(input, options);
  try {
    const rows = errorRows(services, source, table);
    const isJson = FILE_FORMATS[input.format].rows !== 'elements';
    const { rowPath } = table.format;
    const isLines = FILE_FORMATS[input.format].rows === 'lines';
    const lines = isJson
      ? nestedJsonLines(rows, { rowPath: rowPath ?? '.', isLines, job: job.id })
      : tableLines(rows, table, options, job.id);
    const encoding = isJson ? table.format.encoding : 'utf-8';
    // Programs that read JSON do not expect a mark, which only a profile that names another encoding needs.
    const isPlain = isJson && encoding === 'utf-8' && (encodingNamed(options.encoding ?? encoding) ?? '') === 'utf-8';
    const text = isPlain ? Readable.from(lines) : encodedPieces(lines, encoding);
    await (formatOf(source.fileName).gzip ? pipeline(text, createGzip(), into) : pipeline(text, into));
    return encoding;
  } finally {
    await table.batches.return(undefined);
  }
}

/** Opens the source with all of its rows, and with as many columns as a table can have. */
async function openWhole(input: TableInput, options: TableOptions): Promise<OpenTable> {
  const whole = { ...options, skipFirst: undefined, skipLast: undefined, withText: true };
  const table = await openTable(input, whole);
  const isTable = FILE_FORMATS[input.format].rows === 'elements';
  if (!isTable || table.header.length + ADDED_COLUMNS <= DEFAULT_LIMITS.maxColumns) return table;
  await table.batches.return(undefined);
  return openTable(input, { ...whole, columns: { paths: options.columns?.paths ?? [], others: false } });
}

async function* errorRows(
  services: Services,
  { job, compiled }: NestedSource,
  table: OpenTable,
): AsyncGenerator<ErrorRow> {
  const { skipFirst = 0, skipLast = 0 } = compiled.tableOptions;
  const rows = eachRow(table);
  for (let left = skipFirst; left > 0; left--) {
    const { value } = await rows.next();
    if (value) yield { source: value, problems: [] };
  }
  const rowOf = async (row: number) => {
    for (;;) {
      const { value, done } = await rows.next();
      if (done) throw new Error(`the source of job ${job.id} has no row ${row} any more`);
      if (value.row === row) return value;
    }
  };
  yield* failedSourceRows(services.db, job.id, rowOf);
  if (skipLast === 0) return;
  const last: TableRow[] = [];
  for await (const row of rows) {
    last.push(row);
    if (last.length > skipLast) last.shift();
  }
  for (const source of last) yield { source, problems: [] };
}

async function* eachRow({ batches }: OpenTable): AsyncGenerator<TableRow> {
  for await (const batch of batches) yield* batch;
}

async function* tableLines(
  rows: AsyncIterable<ErrorRow>,
  { header }: OpenTable,
  { delimiter = ',', quote = '"', headerRow = 1 }: TableOptions,
  job: string,
): AsyncGenerator<string> {
  const lines = new SourceLines({ header, delimiter, quote, withExtra: false, job });
  // A profile for tables as well may say that the header is further below.
  yield LINE_END.repeat(headerRow - 1) + lines.header('') + LINE_END;
  for await (const { source, problems } of rows) {
    yield lines.row(source.row, '', source.cells, problems) + LINE_END;
  }
}
