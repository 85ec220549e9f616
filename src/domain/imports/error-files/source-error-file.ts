/** The error file of a job with a profile: it has the form of its source, so that the same profile reads it again. */
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Db } from '../../../../db/connection.js';
import type { File } from '../../../../db/models/file.js';
import type { FileStore } from '../../../platform/file-store.js';
import { SourceLines } from '../../formats/error-files/source-lines.js';
import { openSourceText, type SourceHead, type SourceText } from '../../formats/error-files/source-text.js';
import { type FailedSourceRow, writeSourceWorkbook } from '../../formats/error-files/source-workbook.js';
import { FILE_FORMATS, formatOf } from '../../formats/file-format.js';
import { DEFAULT_LIMITS } from '../../formats/model/source-limits.js';
import { unmergedGroups } from '../../formats/table/header-groups.js';
import { openTable } from '../../formats/table/open-table.js';
import type { TableInput, TableOptions } from '../../formats/table/table.js';
import { encodedPieces } from '../../formats/text/encoded-pieces.js';
import type { StyledCell } from '../../formats/xlsx/cell.js';
import { openOriginalRows } from '../../formats/xlsx/rows/original-rows.js';
import { compileProfile, type MappedTable } from '../../profiles/compile-profile.js';
import type { KeptProfile } from '../../profiles/model/kept-profile.js';
import { profileSchema } from '../../profiles/model/profile.js';
import { uploadInput } from '../execute/read-source.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import type { InputPlan } from '../rows/input-plan.js';
import { writeNestedErrors } from './nested-error-file.js';
import { textsOfCells, workbookRows } from './source-cells.js';
import { type FailedRow, failedRowGroups, failedSourceRows } from './source-rows.js';

interface Services {
  readonly db: Db;
  readonly fileStore: FileStore;
}

/** What the file is made of. */
interface Source {
  readonly services: Services;
  readonly job: ImportJob;
  readonly plan: InputPlan;
  readonly input: TableInput;
  readonly options: TableOptions;
  readonly head: SourceHead;
  readonly mapped: MappedTable;
  readonly withExtra: boolean;
}

/**
 * Writes the file; it ends the sink.
 * @returns the encoding of its text; null for a workbook
 */
export async function writeSourceErrors(
  services: Services,
  job: ImportJob,
  plan: InputPlan,
  { document }: KeptProfile,
  file: File,
  into: Writable,
): Promise<string | null> {
  const compiled = compileProfile(profileSchema.parse(document));
  const options = compiled.tableOptions;
  const signal = new AbortController().signal;
  const input = { ...uploadInput(services, file, signal), limits: DEFAULT_LIMITS };
  if (FILE_FORMATS[input.format].rows !== 'table') {
    return writeNestedErrors(services, { job, plan, input, compiled, fileName: file.name }, into);
  }
  const { batches, ...head } = await openTable(input, options);
  await batches.return(undefined);
  const mapped = compiled.open(head, { keyColumn: -1, columns: [] });
  const ragged = await services.db('job_error').where({ job_id: job.id, code: 'ROW_FIELD_COUNT' }).first('row_no');
  const source = { services, job, plan, input, options, head, mapped, withExtra: ragged !== undefined };
  const { gzip } = formatOf(file.name);
  if (FILE_FORMATS[input.format].reads === 'workbook') {
    await writeWorkbook(source, gzip, into);
    return null;
  }
  const { encoding } = head.format;
  const text = encodedPieces(linesOf(source), encoding);
  await (gzip ? pipeline(text, createGzip(), into) : pipeline(text, into));
  return encoding;
}

/** The lines of a text, with their ends. */
async function* linesOf(source: Source): AsyncGenerator<string> {
  const { services, job, input, options, head, mapped, withExtra } = source;
  const { header, format } = head;
  const { escapeFormulas }: Partial<ImportOptions> = job.options;
  const { quote = '"' } = options;
  const form = {
    header,
    delimiter: format.delimiter ?? ',',
    quote,
    escape: options.escape,
    withExtra,
    job: job.id,
    escapeFormulas,
  };
  const lines = new SourceLines(form);
  const text = await openSourceText(input, FILE_FORMATS[input.format], options, head);
  try {
    // Without the profile's word for it, the header is the first row: blank ones above it need not come again.
    for (let row = 1; row < format.headerRow; row++) {
      const record = await text.recordOf(row);
      if (record !== undefined && (options.headerRow !== undefined || !record.isBlank))
        yield lines.other(record.text) + text.lineEnd;
    }
    const own = await text.recordOf(format.headerRow);
    yield lines.header(own?.text ?? '') + text.lineEnd;
    yield* skippedLines(text, lines, format.headerRow, options.skipFirst ?? 0);
    const rowOf = async (row: number) => {
      const written = (await text.recordOf(row))?.text ?? '';
      return { written, cells: lines.cellsOf(written) };
    };
    const { joins } = mapped.mapper;
    const rows =
      joins === undefined
        ? failedSourceRows(services.db, job.id, rowOf)
        : failedRowGroups(services.db, job.id, {
            rowOf,
            next: async () => {
              const record = await text.nextRecord();
              if (record === undefined) return undefined;
              return { row: record.row, source: { written: record.text, cells: lines.cellsOf(record.text) } };
            },
            continues: (above, { cells }) => joins.continues(above.cells, cells),
          });
    for (;;) {
      const { value, done } = await rows.next();
      if (done === true) {
        yield* lastLines(text, lines, options.skipLast ?? 0, value?.written);
        break;
      }
      const { row, source: own, problems } = value;
      yield lines.row(row, own.written, own.cells, problems) + text.lineEnd;
    }
  } finally {
    await text.close();
  }
}

/** @param read a row that was read already, and may be one of the last */
async function* lastLines(
  text: SourceText,
  lines: SourceLines,
  count: number,
  read: string | undefined,
): AsyncGenerator<string> {
  if (count === 0) return;
  const others = (await text.lastRecords(count)).map((record) => record.text);
  const last = read === undefined ? others : [read, ...others].slice(-count);
  for (const written of last) yield lines.other(written) + text.lineEnd;
}

async function* skippedLines(
  text: SourceText,
  lines: SourceLines,
  headerRow: number,
  count: number,
): AsyncGenerator<string> {
  for (let row = headerRow + 1, left = count; left > 0; row++) {
    const record = await text.recordOf(row);
    if (record === undefined) return;
    if (record.isBlank) continue;
    yield lines.other(record.text) + text.lineEnd;
    left -= 1;
  }
}

async function writeWorkbook(source: Source, gzip: boolean, into: Writable): Promise<void> {
  const { services, job, plan, input, options, head, mapped, withExtra } = source;
  const { header, format } = head;
  const rows = workbookRows(openOriginalRows({ ...input, options: { sheet: options.sheet } }), plan.lastRow);
  try {
    const titles = options.headerRow === undefined ? [] : await rows.between(1, format.headerRow - 1);
    // The file that is written has no merged cells: each column has the name of its group itself.
    if (head.groups !== undefined) titles.splice(-1, 1, unmergedGroups(head).map(titleCell));
    const skipped = await rows.next(format.headerRow, options.skipFirst ?? 0);
    async function* failed(): AsyncGenerator<FailedSourceRow> {
      const rowOf = (row: number) => rows.cellsOf(row);
      const { joins } = mapped.mapper;
      const each =
        joins === undefined
          ? failedSourceRows(services.db, job.id, rowOf)
          : failedRowGroups(services.db, job.id, {
              rowOf,
              next: () => rows.following(),
              continues: (above, cells) => joins.continues(textsOfCells(above), textsOfCells(cells)),
            });
      for await (const one of each) {
        yield { row: one.row, cells: one.source, problems: one.problems, faults: faultsOf(one, source) };
      }
    }
    const workbook = {
      ...{ header, withExtra, job: job.id, titles, skipped, failed: failed() },
      sheetName: format.sheet ?? 'Errors',
      last: () => rows.last(options.skipLast ?? 0),
    };
    if (!gzip) return await writeSourceWorkbook(into, workbook);
    const packer = createGzip();
    await Promise.all([pipeline(packer, into), writeSourceWorkbook(packer, workbook)]);
  } finally {
    await rows.close();
  }
}

function titleCell(text: string): StyledCell {
  return { value: text === '' ? null : text, format: 0 };
}

/** What is wrong with each cell of a row: a problem of our column is one of all its columns in the source. */
function faultsOf({ problems }: FailedRow<unknown>, { plan, mapped }: Source): ReadonlyMap<number, string> {
  const faults = new Map<number, string>();
  for (const { column, code, message } of problems) {
    const at = (plan.sourceNames ?? []).indexOf(column ?? '');
    for (const index of mapped.sources[at] ?? []) {
      const before = faults.get(index);
      faults.set(index, `${before === undefined ? '' : `${before}\n`}${code}: ${message}`);
    }
  }
  return faults;
}
