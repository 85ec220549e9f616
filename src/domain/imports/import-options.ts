/** The options of imports: those that a file is announced with, checked strictly, and those stored with the job. */
import { z } from 'zod';
import { formatsWhere } from '../formats/file-format.js';
import type { FormatOption } from '../formats/file-formats/definition.js';
import { FORMAT_OPTIONS } from '../formats/file-formats/definition.js';
import type { SourceFormat } from '../formats/model/source-format.js';
import { detectEncoding } from '../formats/text/text-encoding.js';
import { CHUNK_PLAN, COMMON_OPTIONS, callbackUrlSchema, retrySchema } from '../jobs/model/job-type.js';
import { compileDateFormat } from '../kernel/date-format.js';
import { RejectedInput } from '../kernel/rejected-input.js';

const WRITE_MODES = ['insert', 'upsert', 'update'] as const;
export type WriteMode = (typeof WRITE_MODES)[number];

/** How an import is executed: checked when it is accepted, and stored with its job. */
const keptOptions = z
  .object({
    ...COMMON_OPTIONS,
    mode: z.enum(WRITE_MODES),
    /** Whether the other rows are applied when one row fails. */
    onError: z.enum(['skip', 'abort']),
    validateOnly: z.boolean(),
    /** For files only, like the following options. */
    delimiter: z.string().optional(),
    decimalSeparator: z.enum(['.', ',']).optional(),
    dateFormat: z.string().optional(),
    encoding: z.string().optional(),
    /** For workbooks only: the sheet's name. */
    sheet: z.string().optional(),
    /** For the error files of CSV and TSV. */
    escapeFormulas: z.boolean().optional(),
    /** Present if the job repeats the rows of the job `retryOf`. */
    retry: retrySchema.optional(),
    /** The options that the announcement left out, whose values here are defaults. */
    implied: z.array(z.string()).readonly().optional(),
  })
  .readonly();
export type ImportOptions = z.output<typeof keptOptions>;

/** Whether the job is atomic: everything that it writes is committed together, or undone after its last row. */
export function importsAtomically({ onError, validateOnly }: Pick<ImportOptions, 'onError' | 'validateOnly'>): boolean {
  return onError === 'abort' || validateOnly;
}

const onError = z.enum(['skip', 'abort']).default('skip').meta({
  description: 'abort: all or nothing. If one row fails, no row is written',
});

const validateOnly = z.boolean().default(false).meta({
  description: 'A dry run: reports what the import would do, and writes nothing',
});

const dateFormat = checked('such as dd.MM.yyyy', (format) => compileDateFormat(format));

const encoding = checked('such as utf-8 or windows-1252; a byte order mark takes precedence', (name) =>
  detectEncoding(Buffer.alloc(0), name),
);

/** An option that cannot be applied is rejected, not ignored. @internal exported for tests */
export const importOptionsSchema = z.strictObject({
  mode: z.enum(WRITE_MODES).default('upsert'),
  onError,
  validateOnly,
  delimiter: z
    .enum([',', ';', '\t', '|'], 'expected a comma, a semicolon, a tab ("\\t") or a vertical bar')
    .optional()
    .meta({ description: 'For .csv and .tsv. Default: detected from the header; a tab for .tsv' }),
  decimalSeparator: z.enum(['.', ','], 'expected "." or ","').optional(),
  dateFormat: dateFormat.optional(),
  encoding: encoding.optional(),
  sheet: z
    .string()
    .min(1, 'is empty')
    .max(100, 'is longer than 100 characters')
    .optional()
    .meta({ description: 'For .xlsx: the name of the sheet. Default: the first sheet that is not hidden' }),
  escapeFormulas: z.boolean().optional().meta({
    description:
      'For .csv and .tsv: the error file has an apostrophe before texts that a spreadsheet would execute as formulas, so that it is for reading only',
  }),
  callbackUrl: callbackUrlSchema.optional(),
});

/** Options as an announcement gives them: those that are left out are absent, not yet their defaults. */
export const givenOptionsSchema = importOptionsSchema.extend({
  mode: importOptionsSchema.shape.mode.unwrap().optional().meta({ default: 'upsert' }),
  onError: importOptionsSchema.shape.onError.unwrap().optional().meta({ default: 'skip' }),
  validateOnly: importOptionsSchema.shape.validateOnly.unwrap().optional().meta({ default: false }),
});
type GivenOptions = z.output<typeof givenOptionsSchema>;

/** The given options that do not apply to files of this format, each with a message that says what to do. */
export function unsupportedOptions(
  format: SourceFormat,
  given: Readonly<Partial<Record<FormatOption, unknown>>>,
): { readonly option: FormatOption; readonly message: string }[] {
  return FORMAT_OPTIONS.flatMap((option) => {
    const formats = formatsWhere(({ options }) => options.includes(option));
    if (given[option] === undefined || formats.includes(format)) return [];
    return [{ option, message: `applies only to ${formats.join(', ')}, and this file is ${format}: leave it out` }];
  });
}

/** The options of a file job, with the defaults of those that were left out. */
export function jobOptions({ callbackUrl, ...given }: GivenOptions): ImportOptions {
  const { mode = 'upsert', onError = 'skip', validateOnly = false, ...others } = given;
  const implied = (['mode', 'onError', 'validateOnly'] as const).filter((option) => given[option] === undefined);
  const options = { mode, onError, validateOnly, ...others, ...(implied.length > 0 ? { implied } : {}) };
  return callbackUrl ? { ...options, callbackUrl } : options;
}

/**
 * The options with those of an earlier job where the announcement left them out, as far as files of the format have
 * them.
 */
export function withOptionsOf(options: ImportOptions, earlier: ImportOptions, jobId: string, format: SourceFormat) {
  const { implied = [], ...given } = options;
  const { implied: _, retryOf: __, retry: ___, ...brought } = earlier;
  const refused = unsupportedOptions(format, brought).map(({ option }): string => option);
  const merged = {
    ...Object.fromEntries(Object.entries(brought).filter(([name]) => !refused.includes(name))),
    ...Object.fromEntries(
      Object.entries(given).filter(([name, value]) => value !== undefined && !implied.includes(name)),
    ),
    retryOf: jobId,
  };
  return keptOptions.parse(merged);
}

/** A text that `read` accepts; for any other, the message is that of the error that `read` throws. */
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

// The plan of a job's input, stored with the job so that every chunk is read in the same way.

/** Serial numbers reserved for a job before its first row is applied: attribute id → number. */
const reserved = z.record(z.string(), z.number()).readonly();
export type Reserved = z.output<typeof reserved>;

const inputPlan = z
  .object({
    ...CHUNK_PLAN,
    /** Where the rows are: in the chunk itself, in the upload, or in a normalised copy of it. */
    source: z.enum(['inline', 'upload', 'spool']),
    bodyFormat: z.enum(['CSV', 'JSONL']),
    delimiter: z.string().nullable(),
    headerCells: z.array(z.string()).readonly().nullable(),
    /** Index of the key column; -1 for JSON. */
    keyColumn: z.int(),
    /** Whether the site had no items when the job began. */
    siteWasEmpty: z.boolean(),
    /** Empty when the job is atomic, because it reserves in its own transaction. */
    reserved,
    /** The highest row number that may occur. */
    lastRow: z.int(),
  })
  .readonly();
export type InputPlan = z.output<typeof inputPlan>;

/** Key of a job's normalised copy in the file store. It is kept as long as its job, whose result is read from it. */
export function spoolKey(jobId: string): string {
  return `spools/${jobId}`;
}

// What all import job types have in common.

export const IMPORT_TYPE = {
  options: keptOptions,
  plan: inputPlan,
  steps: ['plan', 'apply', 'apply-all', 'finish'],
  isAtomic: importsAtomically,
  isDryRun: ({ validateOnly }: { readonly validateOnly: boolean }) => validateOnly,
  storedKeys: (id: string) => [spoolKey(id)],
} as const;
