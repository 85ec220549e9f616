/** What the template operations share: their formats, and their answer. */
import { z } from 'zod';
import { FILE_FORMATS, writtenContentTypeOf } from '../../../domain/formats/file-format.js';
import { writeCsvTemplate, writeXlsxTemplate } from '../../../domain/formats/write-template.js';
import type { XlsxColumn } from '../../../domain/formats/xlsx/xlsx-column.js';
import type { ApiResponse, ResponseSpec } from '../../define-route.js';

export const templateFormat = z.enum(['CSV', 'XLSX']).default('CSV');
export const escapeFormulas = z.boolean().optional().meta({
  description:
    'CSV: puts an apostrophe before headers that a spreadsheet would execute as formulas. An import does not know such a header',
});
type TemplateFormat = z.output<typeof templateFormat>;

export const templateQuery = z.strictObject({
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'expected a locale such as de or de-DE')
    .optional()
    .meta({
      description:
        'The headers use the names of attributes in this language, if they are unambiguous; imports read either name',
    }),
});

export const templateResponses: Record<200, ResponseSpec> = {
  200: {
    description: 'A CSV file in UTF-8 with a byte order mark, or a workbook (XLSX)',
    schema: z.string(),
    contentType: writtenContentTypeOf({ format: 'CSV', gzip: false }),
  },
};

/** The content of a template, and the name of its file. */
interface Template {
  readonly columns: readonly XlsxColumn[];
  /** The file name without its ending. */
  readonly name: string;
  readonly sheetName: string;
  readonly format: TemplateFormat | undefined;
  readonly locale: string | undefined;
  readonly escapeFormulas?: boolean | undefined;
}

/** The file as a download. */
export async function templateResponse(template: Template): Promise<ApiResponse> {
  const { columns, name, sheetName, format = 'CSV', locale, escapeFormulas } = template;
  const suffix = locale === undefined ? '' : `-${locale}`;
  const [extension] = FILE_FORMATS[format].extensions;
  return {
    status: 200,
    body: format === 'CSV' ? writeCsvTemplate(columns, escapeFormulas) : await writeXlsxTemplate(columns, sheetName),
    headers: {
      'Content-Type': writtenContentTypeOf({ format, gzip: false }),
      'Content-Disposition': `attachment; filename="${name}${suffix}.${extension}"`,
    },
  };
}
