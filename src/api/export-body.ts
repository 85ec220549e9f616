/** The bodies of requests for exports. */
import { z } from 'zod';
import { MAX_NAME_CHARACTERS } from '../domain/catalog/model/attribute-definition.js';
import { EXPORT_FORMATS, isCompressed, writtenFormat } from '../domain/exports/model/export-format.js';
import type { ExportFormatting } from '../domain/exports/model/export-spec.js';
import { DELIMITERS } from '../domain/exports/model/export-spec.js';
import { callbackUrlSchema } from '../domain/job-model/job-type.js';
import { profileSchema } from '../domain/profiles/model/profile.js';
import { attributeMatch, categoryMatch, exportedItems, itemMatch } from './export-match.js';
import { plainText } from './plain-text.js';

const MAX_COLUMNS = 2_000;

/** The fields that say how the file is written, to be spread into a body. */
const formattingFields = {
  format: z.enum(EXPORT_FORMATS).default('CSV').meta({
    description:
      'JSONL loses nothing; XLSX can contain 1,048,575 rows at most; PARQUET is for analyses, and cannot be imported',
  }),
  gzip: z.boolean().default(false),
  delimiter: z
    .enum(DELIMITERS, 'expected a comma, a semicolon, a tab ("\\t") or a vertical bar')
    .optional()
    .meta({ description: 'CSV. Default: a comma' }),
  decimalSeparator: z.enum(['.', ','], 'expected "." or ","').optional().meta({ description: 'CSV. Default: "."' }),
  bom: z.boolean().optional().meta({
    description: 'CSV: the file begins with a byte order mark, from which spreadsheet programs recognize UTF-8',
  }),
  escapeFormulas: z.boolean().optional().meta({
    description:
      'CSV: writes an apostrophe before cells that a spreadsheet would execute. Such a file does not import unchanged',
  }),
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'expected a locale such as de or de-DE')
    .optional()
    .meta({ description: 'Part of the file name. It does not change the names of columns, so that imports read them' }),
  callbackUrl: callbackUrlSchema.optional(),
  publishAs: z.string().min(1).max(100).optional().meta({
    description:
      'The name of a published file of this stage: the file is found at its address when the export has ended. It needs feeds:write',
  }),
};

/** Those of an export that a destination of feeds makes again and again: whom to call and where to publish, the feed says. */
const { callbackUrl: _, publishAs: __, ...writtenFields } = formattingFields;

const CSV_ONLY = ['delimiter', 'decimalSeparator', 'bom', 'escapeFormulas'] as const;

type GivenFormatting = z.output<z.ZodObject<typeof writtenFields>>;

/** For `check`: refuses fields that do not apply to the format, instead of ignoring them. */
function refuseCsvFields({ value, issues }: { value: GivenFormatting; issues: z.core.$ZodRawIssue[] }): void {
  if (writtenFormat(value.format).exports === 'table') return;
  if (isCompressed(value.format) && value.gzip) {
    const message = `does not apply to ${value.format}, which is compressed already: leave it out`;
    issues.push({ code: 'custom', input: true, path: ['gzip'], message });
  }
  for (const field of CSV_ONLY.filter((one) => value[one] !== undefined)) {
    const message = `applies to CSV only, and the format is ${value.format}: leave it out`;
    issues.push({ code: 'custom', input: value[field], path: [field], message });
  }
}

const SAID_BY_PROFILE = ['columns', 'delimiter', 'decimalSeparator', 'escapeFormulas'] as const;

interface GivenProfile extends GivenFormatting {
  readonly profile?: unknown;
  readonly columns?: unknown;
}

/** For `check`: refuses fields that contradict a profile. */
function refuseProfileFields({ value, issues }: { value: GivenProfile; issues: z.core.$ZodRawIssue[] }): void {
  if (value.profile === undefined) return;
  const written = writtenFormat(value.format).exports;
  if (written === 'lines' || written === 'columns') {
    const why = written === 'lines' ? 'has no columns, which a profile names' : 'has no form that a profile describes';
    const message = `${why}: choose CSV or XLSX, or leave out the profile`;
    issues.push({ code: 'custom', input: value.format, path: ['format'], message });
  }
  for (const field of SAID_BY_PROFILE.filter((one) => value[one] !== undefined)) {
    const message = 'is said by the profile: leave it out, or change the profile';
    issues.push({ code: 'custom', input: value[field], path: [field], message });
  }
}

export function formattingOf(given: GivenFormatting): ExportFormatting {
  const { format, gzip, delimiter = ',', decimalSeparator = '.', bom = false, escapeFormulas = false, locale } = given;
  return { format, gzip, delimiter, decimalSeparator, bom, escapeFormulas, locale: locale ?? null };
}

const nameText = plainText(MAX_NAME_CHARACTERS);
const columns = z.array(nameText).min(1, 'names no column').max(MAX_COLUMNS);

/** The profile in whose form the file is written. */
const profile = z
  .union([z.string().min(1), profileSchema.meta({ id: 'ExportProfileDocument' })])
  .optional()
  .meta({
    description:
      'The name of an import profile, or one itself: the file has its columns and its form, and its import by the same profile changes nothing',
  });

/** Since when changes are wanted. */
const since = z
  .strictObject({
    cursor: z.string().min(1).optional(),
    jobId: z.string().min(1).optional(),
    time: z.iso.datetime({ offset: true }).optional(),
  })
  .refine((given) => Object.values(given).filter((one) => one !== undefined).length === 1, {
    message: 'name one of cursor, jobId and time',
  })
  .optional()
  .meta({
    description:
      'Only what was created or changed since, with UPSERT in the column `_operation`, and with DELETE what was deleted, or was changed and does not match now. `cursor` is that of an earlier export or of `GET /changes`; `jobId`: since a job has ended; `time`: since the first change that was committed about then. If definitions were changed so that records are written otherwise which were not changed themselves, the file is whole and has no such column: see `content` of the result',
  });

/** For `check`: a profile has no form for what was deleted. */
function refuseSinceWithProfile({
  value,
  issues,
}: {
  value: { readonly profile?: unknown; readonly since?: unknown };
  issues: z.core.$ZodRawIssue[];
}): void {
  if (value.profile === undefined || value.since === undefined) return;
  const message =
    'does not go together with a profile: its files have no form for what was deleted, so that files of changes would not add up to the whole. Leave one of them out';
  issues.push({ code: 'custom', input: value.since, path: ['since'], message });
}

/** For `check`: what an address has is always whole. */
function refusePartsPublished({
  value,
  issues,
}: {
  value: { readonly publishAs?: unknown; readonly since?: unknown };
  issues: z.core.$ZodRawIssue[];
}): void {
  if (value.publishAs === undefined || value.since === undefined) return;
  const message = 'does not go together with publishAs, whose address always has a whole export: leave one of them out';
  issues.push({ code: 'custom', input: value.since, path: ['since'], message });
}

/** What is refused of every export, and of those of all that match. */
const OF_ALL = [refuseCsvFields, refuseProfileFields] as const;
const OF_MATCHING = [...OF_ALL, refuseSinceWithProfile, refusePartsPublished] as const;
const NAME_SOME = 'name the records by one of the two lists';

export const itemFilterBody = z
  .strictObject({
    match: exportedItems.default({}),
    columns: columns.optional(),
    profile,
    since,
    ...formattingFields,
  })
  .check(...OF_MATCHING);
export const attributeFilterBody = z
  .strictObject({ match: attributeMatch.default({}), profile, since, ...formattingFields })
  .check(...OF_MATCHING);
export const categoryFilterBody = z
  .strictObject({ match: categoryMatch.default({}), profile, since, ...formattingFields })
  .check(...OF_MATCHING);

export const namedItemsBody = z
  .strictObject({
    ids: itemMatch.shape.id,
    skus: itemMatch.shape.sku,
    columns: columns.optional(),
    profile,
    ...formattingFields,
  })
  .refine(({ ids, skus }) => (ids === undefined) !== (skus === undefined), NAME_SOME)
  .check(...OF_ALL);

export const namedAttributesBody = z
  .strictObject({
    ids: attributeMatch.shape.id,
    names: attributeMatch.shape.name,
    profile,
    ...formattingFields,
  })
  .refine(({ ids, names }) => (ids === undefined) !== (names === undefined), NAME_SOME)
  .check(...OF_ALL);

export const namedCategoriesBody = z
  .strictObject({
    ids: categoryMatch.shape.id,
    nodeIds: categoryMatch.shape.id,
    profile,
    ...formattingFields,
  })
  .refine(({ ids, nodeIds }) => (ids === undefined) !== (nodeIds === undefined), NAME_SOME)
  .check(...OF_ALL);

/** The export of a destination of feeds. */
export const destinationExport = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: z.literal('ITEM_EXPORT'),
        match: exportedItems.default({}),
        columns: columns.optional(),
        profile,
        ...writtenFields,
      })
      .check(...OF_ALL),
    z
      .strictObject({
        type: z.literal('BUNDLE_EXPORT'),
        match: exportedItems.default({}),
        columns: columns.optional(),
        profile,
        ...writtenFields,
      })
      .check(...OF_ALL),
    z
      .strictObject({
        type: z.literal('ATTRIBUTE_EXPORT'),
        match: attributeMatch.default({}),
        profile,
        ...writtenFields,
      })
      .check(...OF_ALL),
    z
      .strictObject({ type: z.literal('CATEGORY_EXPORT'), match: categoryMatch.default({}), profile, ...writtenFields })
      .check(...OF_ALL),
  ])
  .meta({
    id: 'DestinationExport',
    description:
      'Of destinations, which need it: what is written, as in the request for such an export by filter, without since, callbackUrl and publishAs',
  });
export type DestinationExport = z.output<typeof destinationExport>;
