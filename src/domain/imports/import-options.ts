/** The options of imports: as a file is announced with them, checked strictly, and as they are kept with the job. */
import { z } from 'zod';
import { formatsWhere } from '../formats/file-format.js';
import type { FormatOption } from '../formats/file-formats/definition.js';
import { FORMAT_OPTIONS } from '../formats/file-formats/definition.js';
import type { SourceFormat } from '../formats/source-contract.js';
import { detectEncoding } from '../formats/text/text-encoding.js';
import { callbackUrlSchema } from '../jobs/accept-job.js';
import { CHUNK_PLAN, COMMON_OPTIONS } from '../jobs/job-type.js';
import { compileDateFormat } from '../kernel/date-format.js';
import { RejectedInput } from '../kernel/rejected-input.js';

const WRITE_MODES = ['insert', 'upsert', 'update'] as const;
export type WriteMode = (typeof WRITE_MODES)[number];

/** How an import is to be carried out: checked when it is accepted, kept with its job. */
const keptOptions = z
  .object({
    ...COMMON_OPTIONS,
    mode: z.enum(WRITE_MODES),
    /** What a failed row does to the others. */
    onError: z.enum(['skip', 'abort']),
    validateOnly: z.boolean(),
    /** Of files, like the following. */
    delimiter: z.string().optional(),
    decimalSeparator: z.enum(['.', ',']).optional(),
    dateFormat: z.string().optional(),
    encoding: z.string().optional(),
    /** Of workbooks: the sheet's name. */
    sheet: z.string().optional(),
  })
  .readonly();
export type ImportOptions = z.output<typeof keptOptions>;

/** Whether all that the job writes is committed at once or not at all: it may have to be undone when its last row is known. */
export function importsAtomically({ onError, validateOnly }: Pick<ImportOptions, 'onError' | 'validateOnly'>): boolean {
  return onError === 'abort' || validateOnly;
}

const onError = z.enum(['skip', 'abort']).default('skip').meta({
  description: 'abort: all or nothing. One row that fails, and nothing of the file is written',
});

const validateOnly = z.boolean().default(false).meta({
  description: 'A dry run: the report that the import would have, and nothing is written',
});

const dateFormat = checked('such as dd.MM.yyyy', (format) => compileDateFormat(format));

const encoding = checked('such as utf-8 or windows-1252; a byte order mark counts for more', (name) =>
  detectEncoding(Buffer.alloc(0), name),
);

/** What cannot be heeded is refused, not ignored. */
export const importOptionsSchema = z.strictObject({
  mode: z.enum(WRITE_MODES).default('upsert'),
  onError,
  validateOnly,
  delimiter: z
    .enum([',', ';', '\t', '|'], 'expected a comma, a semicolon, a tab ("\\t") or a vertical bar')
    .optional()
    .meta({ description: 'Of .csv and .tsv. Default: found out by the header; a tab for .tsv' }),
  decimalSeparator: z.enum(['.', ','], 'expected "." or ","').optional(),
  dateFormat: dateFormat.optional(),
  encoding: encoding.optional(),
  sheet: z
    .string()
    .min(1, 'is empty')
    .max(100, 'is longer than 100 characters')
    .optional()
    .meta({ description: 'Of .xlsx: the name of the sheet. Default: the first that is not hidden' }),
  callbackUrl: callbackUrlSchema.nullish(),
});

/** The options that a file of this format cannot heed, each with what to do. */
export function unheededOptions(
  format: SourceFormat,
  given: Readonly<Partial<Record<FormatOption, unknown>>>,
): { readonly option: FormatOption; readonly message: string }[] {
  return FORMAT_OPTIONS.flatMap((option) => {
    const formats = formatsWhere(({ heeds }) => heeds.includes(option));
    if (given[option] === undefined || formats.includes(format)) return [];
    return [{ option, message: `is a matter of ${formats.join(', ')}, and this file is ${format}: leave it out` }];
  });
}

/** The options of a file's job. */
export function jobOptions({ callbackUrl, ...options }: z.output<typeof importOptionsSchema>): ImportOptions {
  return callbackUrl ? { ...options, callbackUrl } : options;
}

/** A text that `read` takes; what it throws for another is told. */
function checked(description: string, read: (text: string) => unknown): z.ZodString {
  return z
    .string()
    .min(1, 'is empty')
    .max(100, 'is longer than 100 characters')
    .check((context) => {
      try {
        read(context.value);
      } catch (error) {
        context.issues.push({ code: 'custom', input: context.value, message: messageOf(error), continue: false });
      }
    })
    .meta({ description });
}

function messageOf(error: unknown): string {
  if (error instanceof RejectedInput || error instanceof Error) return error.message;
  throw error;
}

// What PLAN found out about a job's input; kept with the job, so that every chunk is read alike.

/** What is set aside for a job before its first row is applied: attribute id → number. */
const reserved = z.record(z.string(), z.number()).readonly();
export type Reserved = z.output<typeof reserved>;

const inputPlan = z
  .object({
    ...CHUNK_PLAN,
    /** Where the rows lie: in the chunk itself, in the upload, or in a normalised copy of it. */
    source: z.enum(['inline', 'upload', 'spool']),
    bodyFormat: z.enum(['CSV', 'JSONL']),
    delimiter: z.string().nullable(),
    headerCells: z.array(z.string()).readonly().nullable(),
    /** Index of the key's column; -1 for JSON. */
    keyColumn: z.int(),
    /** No item existed when the job began. */
    siteWasEmpty: z.boolean(),
    /** Empty when the job is atomic: it reserves in its own transaction. */
    reserved,
    /** No row number is higher. */
    lastRow: z.int(),
  })
  .readonly();
export type InputPlan = z.output<typeof inputPlan>;

/** Key of a job's normalised copy in the file store. It stays as long as its job: the job's result is read from it. */
export function spoolKey(jobId: string): string {
  return `spools/${jobId}`;
}

// What the types of jobs that take rows in have in common.

export const IMPORT_TYPE = {
  options: keptOptions,
  plan: inputPlan,
  steps: ['plan', 'apply', 'apply-all', 'finish'],
  isAtomic: importsAtomically,
  isDryRun: ({ validateOnly }: { readonly validateOnly: boolean }) => validateOnly,
  storedKeys: (id: string) => [spoolKey(id)],
} as const;
