/** The job type that inspects an uploaded file. It needs no position in the ordering queue, because it changes nothing. */
import { z } from 'zod';
import { COMMON_OPTIONS, defineJobType, type JobOf, type JobTypes } from '../../job-model/job-type.js';
import { formatSchema, MAX_HEADER_ROW } from '../../profiles/model/profile.js';

/** The name of the type in the API. */
export const INSPECTION_TYPE = 'FILE_INSPECTION';

/**
 * Which rows of a file are inspected, where a file has several tables, and how it is written; what is left out is found
 * out.
 */
export const inspectedRows = z.object({
  rowPath: z.string().min(1).max(1_000).optional().meta({
    description: 'Of JSON and XML: the path of the rows. Default: the most plausible one, or what was asked for last',
  }),
  sheet: z.string().min(1).max(100).optional().meta({
    description:
      'Of a workbook: the sheet. Default: the first with values that is not hidden, or what was asked for last',
  }),
  encoding: formatSchema.shape.encoding.meta({
    description: 'Of texts: such as windows-1252. Default: found out, or what was asked for last',
  }),
  delimiter: formatSchema.shape.delimiter.meta({
    description: 'Of .csv and .tsv: one character. Default: found out, or what was asked for last',
  }),
  headerRow: z.coerce.number().int().min(1).max(MAX_HEADER_ROW).optional().meta({
    description: 'Of tables: the row that names the columns, from 1. Default: found out, or what was asked for last',
  }),
  headerRows: z.coerce.number().int().min(1).max(2).optional().meta({
    description:
      'Of tables: how many rows the header has. 2: the row above `headerRow`, which is needed then, names groups of columns. Default: found out, or what was asked for last',
  }),
});
export type InspectedRows = z.output<typeof inspectedRows>;

/** The members that say it. */
export const INSPECTED_ROWS = [
  'rowPath',
  'sheet',
  'encoding',
  'delimiter',
  'headerRow',
  'headerRows',
] as const satisfies readonly (keyof InspectedRows)[];

/** What the options of a job say of it: those of the job that a file was announced for, or of an inspection. */
export function rowsIn(options: object | null): InspectedRows {
  return inspectedRows.safeParse(options ?? {}).data ?? {};
}

export const INSPECTION_JOB = defineJobType({
  kind: 'inspection',
  names: [INSPECTION_TYPE],
  // The file is no input file of the job, which is kept for as long as the job that imports it.
  options: z.object({ ...COMMON_OPTIONS, fileId: z.string(), ...inspectedRows.shape }).readonly(),
  /** `attempt`: how many times reading the file has begun. */
  plan: z.object({ attempt: z.int() }),
  steps: ['inspect'],
  oneStep: {
    failed: 'we could not inspect the file; ask for its inspection again',
    cancelled: () => 'cancelled on request; ask for the inspection again to have it done all the same',
  },
  // A worker process inspects more files than this, so that those of other sites need not wait.
  siteWindow: 2,
  isConcurrent: () => true,
  rowNaming: null,
  result: 'items',
});

const TYPES = { [INSPECTION_JOB.kind]: INSPECTION_JOB };
export type InspectionJob = JobOf<typeof TYPES>;
export const INSPECTION_JOBS: JobTypes<InspectionJob> = TYPES;
