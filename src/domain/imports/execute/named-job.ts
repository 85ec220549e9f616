/** Finds the job that has made an error file, before it is known how the file is read. */
import { FILE_FORMATS } from '../../formats/file-format.js';
import { JOB_COLUMN } from '../../formats/model/added-columns.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import type { UploadInput } from '../../formats/model/source-input.js';
import { DEFAULT_LIMITS } from '../../formats/model/source-limits.js';
import { openText } from '../../formats/plan/open-text.js';
import { openTable } from '../../formats/table/open-table.js';
import { ReadMeter } from '../../formats/text/upload-blocks.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { FileJobServices } from './file-plan.js';
import { uploadInput, uploadOf } from './read-source.js';

/** The header and the first row of an error file are within its first megabyte, unless its titles are longer. */
const MAX_CHARACTERS = 1024 * 1024;
const MAX_ROWS = 10_000;
/** The header of an error file, and a cell with an id in one of its rows. */
const HEADER = new RegExp(`(?:^|[^\\w])${JOB_COLUMN}(?![\\w])`, 'i');
const ID = /(?<![\w])[0-9a-f]{24}(?![\w])/;

/** The id in the column `_job` of the first row that has one; undefined when the file is no error file. */
export async function jobNamedIn(
  services: FileJobServices,
  job: ImportJob,
  signal: AbortSignal,
): Promise<string | undefined> {
  const file = await uploadOf(services.db, job);
  const input = { ...uploadInput(services, file, signal), limits: DEFAULT_LIMITS };
  try {
    return FILE_FORMATS[input.format].reads === 'workbook' ? await inWorkbook(input) : await inText(input);
  } catch (error) {
    // What is wrong with the file is said by the refusal that has led here.
    if (error instanceof RejectedInput) return undefined;
    throw error;
  }
}

type Input = UploadInput & Parameters<typeof openTable>[0];

/** Neither the delimiter nor the row of the header is known: names and ids are ASCII in all encodings but UTF-16. */
async function inText(input: Input): Promise<string | undefined> {
  const text = await openText(
    { ...input, options: { encoding: 'windows-1252' } },
    FILE_FORMATS[input.format],
    new ReadMeter(input),
  );
  let read = '';
  try {
    for await (const block of text.blocks) {
      read += block.toString('latin1');
      if (read.length > MAX_CHARACTERS) break;
    }
  } finally {
    await text.blocks.return(undefined);
  }
  const header = HEADER.exec(read);
  return header === null ? undefined : ID.exec(read.slice(header.index))?.[0];
}

async function inWorkbook(input: Input): Promise<string | undefined> {
  const { header, batches } = await openTable(input, {});
  const isJobColumn = (cell: string) => cell.trim().toLowerCase() === JOB_COLUMN;
  let column = header.findIndex(isJobColumn);
  let rows = 0;
  try {
    for await (const batch of batches) {
      for (const { cells } of batch) {
        const id = column < 0 ? '' : (cells[column] ?? '').trim();
        if (id !== '') return id;
        if (column < 0) column = cells.findIndex(isJobColumn);
      }
      rows += batch.length;
      if (rows > MAX_ROWS) return undefined;
    }
    return undefined;
  } finally {
    await batches.return(undefined);
  }
}
