/** The options that a file is announced with: checked strictly, and completed to those of its job. */
import { z } from 'zod';
import { compileDateFormat } from '../catalog/model/date-format.js';
import type { FormatOption } from '../formats/file-formats/definition.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import type { SourceFormat } from '../formats/model/source-format.js';
import { detectEncoding } from '../formats/text/detect-encoding.js';
import { callbackUrlSchema } from '../job-model/job-type.js';
import { unfitOptions, withoutContradictions } from './execute/fitting-options.js';
import { givenProfileSchema } from './given-profile.js';
import type { NamedMissing } from './missing/given-missing.js';
import { createMissingSchema, missingProblem, missingSchema, optionsOfMissing } from './missing/given-missing.js';
import { type ImportOptions, keptOptions, WRITE_MODES } from './model/import-options.js';
import { snapshotProblem, snapshotSchema } from './snapshots/given-snapshot.js';

const dateFormat = checked('such as dd.MM.yyyy', (format) => compileDateFormat(format));

const encoding = checked('such as utf-8 or windows-1252; a byte order mark takes precedence', (name) =>
  detectEncoding(Buffer.alloc(0), name),
);

/**
 * Options as an announcement gives them: those that are left out are absent, not yet their defaults. One that cannot be
 * applied is rejected, not ignored.
 */
export const givenOptionsSchema = z.strictObject({
  mode: z.enum(WRITE_MODES).optional().meta({ default: 'upsert' }),
  onError: z.enum(['skip', 'abort']).optional().meta({
    description: 'abort: all or nothing. If one row fails, no row is written',
    default: 'skip',
  }),
  validateOnly: z.boolean().optional().meta({
    description: 'A dry run: reports what the import would do, and writes nothing',
    default: false,
  }),
  requireApproval: z.boolean().optional().meta({
    description:
      'The import is a dry run first, and waits as AWAITING_APPROVAL until it is approved or rejected. Default: what the site settings say',
  }),
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
    .meta({ description: 'For .xlsx and .ods: the name of the sheet. Default: the first sheet that is not hidden' }),
  escapeFormulas: z.boolean().optional().meta({
    description:
      'For .csv and .tsv: the error file has an apostrophe before texts that a spreadsheet would execute as formulas, so that it is for reading only',
  }),
  callbackUrl: callbackUrlSchema.optional(),
  profile: givenProfileSchema.optional(),
  createMissing: createMissingSchema.optional(),
  missing: missingSchema.optional(),
  snapshot: snapshotSchema.optional(),
});
type GivenOptions = z.output<typeof givenOptionsSchema>;

/**
 * The given options that do not apply to files of this format, or of this type if it is given, each with a message that
 * says what to do.
 */
export function unsupportedOptions(
  format: SourceFormat,
  given: Readonly<Partial<Record<FormatOption | 'mode' | 'snapshot', unknown>>> & NamedMissing,
  fileType?: string,
): { readonly option: FormatOption | 'createMissing' | 'snapshot'; readonly message: string }[] {
  const problem = fileType === undefined ? undefined : missingProblem(fileType, given);
  const unfitSnapshot = snapshotProblem(fileType, given);
  return [
    ...unfitOptions(format, given),
    ...(problem === undefined ? [] : [{ option: 'createMissing' as const, message: problem }]),
    ...(unfitSnapshot === undefined ? [] : [{ option: 'snapshot' as const, message: unfitSnapshot }]),
  ];
}

/** The options of a file job, with the defaults of those that were left out; its profile is added by withProfile. */
export function jobOptions({ callbackUrl, createMissing, missing, profile: _, ...given }: GivenOptions): ImportOptions {
  const { mode = 'upsert', onError = 'skip', validateOnly = false, ...others } = given;
  const implied = (['mode', 'onError', 'validateOnly'] as const).filter((option) => given[option] === undefined);
  const creating = optionsOfMissing({ createMissing, missing });
  const options = { mode, onError, validateOnly, ...others, ...creating, ...(implied.length > 0 ? { implied } : {}) };
  return callbackUrl ? { ...options, callbackUrl } : options;
}

/** The options with which a held file is imported: those of its announcement where these leave them out. */
export function withAnnouncedOptions(options: ImportOptions, announced: ImportOptions | undefined): ImportOptions {
  if (announced === undefined) return options;
  const { implied = [], ...given } = options;
  const chosen = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && !implied.includes(name)),
  );
  const { implied: left = [], ...first } = withoutContradictions(chosen, announced);
  // The default profile of the site is that of the moment: an announcement of a file that is held has none.
  const isDefault = implied.includes('profile') && first.profile === undefined;
  const profile = isDefault ? { profile: options.profile } : {};
  const stillImplied = [...left.filter((name) => implied.includes(name)), ...(isDefault ? ['profile'] : [])];
  const merged = { ...first, ...chosen, ...profile };
  return keptOptions.parse({ ...merged, ...(stillImplied.length > 0 ? { implied: stillImplied } : {}) });
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
