/** The options that a file is announced with, checked strictly: what cannot be heeded is refused, not ignored. */
import { z } from 'zod';
import type { SourceFormat } from '../formats/source-contract.js';
import { detectEncoding } from '../formats/text/text-encoding.js';
import { callbackUrlSchema } from '../jobs/callback-url.js';
import type { JobOptions } from '../jobs/job-options.js';
import { compileDateFormat } from '../kernel/date-format.js';
import { RejectedInput } from '../kernel/rejected-input.js';

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

export const importOptionsSchema = z.strictObject({
  mode: z.enum(['insert', 'upsert', 'update']).default('upsert'),
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

/** What only some formats can heed. JSON has dates in ISO 8601 and numbers of its own; workbooks say how they are encoded. */
const HEEDED_BY = {
  delimiter: ['CSV', 'TSV'],
  decimalSeparator: ['CSV', 'TSV', 'XLSX'],
  dateFormat: ['CSV', 'TSV', 'XLSX'],
  encoding: ['CSV', 'TSV', 'JSON', 'JSONL'],
  sheet: ['XLSX'],
} as const satisfies Readonly<Record<string, readonly SourceFormat[]>>;

type OptionOfFormats = keyof typeof HEEDED_BY;

/** The options that a file of this format cannot heed, each with what to do. */
export function unheededOptions(
  format: SourceFormat,
  given: Readonly<Partial<Record<OptionOfFormats, unknown>>>,
): { readonly option: OptionOfFormats; readonly message: string }[] {
  return Object.entries(HEEDED_BY).flatMap(([name, formats]: [string, readonly SourceFormat[]]) => {
    const option = name as OptionOfFormats;
    if (given[option] === undefined || formats.includes(format)) return [];
    return [{ option, message: `is a matter of ${formats.join(', ')}, and this file is ${format}: leave it out` }];
  });
}

/** The options of a file's job. */
export function jobOptions({ callbackUrl, ...options }: z.output<typeof importOptionsSchema>): JobOptions {
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
