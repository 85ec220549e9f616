/** The options of imports: as a file is announced with them, checked strictly, and as they are kept with the job. */
import { z } from 'zod';
import { formatsWhere } from '../formats/file-format.js';
import { FORMAT_OPTIONS, type FormatOption } from '../formats/file-formats/definition.js';
import type { SourceFormat } from '../formats/source-contract.js';
import { detectEncoding } from '../formats/text/text-encoding.js';
import { callbackUrlSchema } from '../jobs/accept-job.js';
import { COMMON_OPTIONS } from '../jobs/job-type.js';
import { compileDateFormat } from '../kernel/date-format.js';
import { RejectedInput } from '../kernel/rejected-input.js';

const WRITE_MODES = ['insert', 'upsert', 'update'] as const;
export type WriteMode = (typeof WRITE_MODES)[number];

/** How an import is to be carried out: checked when it is accepted, kept with its job. */
export const keptOptions = z
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
export function takesEffectAsAWhole({
  onError,
  validateOnly,
}: Pick<ImportOptions, 'onError' | 'validateOnly'>): boolean {
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
