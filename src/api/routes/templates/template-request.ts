/** What the template operations share: the format they can write, and the download they answer. */
import { z } from 'zod';
import { templateFile } from '../../../domain/catalog/templates/item-template.js';
import type { ApiResponse, ResponseSpec } from '../../define-route.js';

/** Only what can be written now is accepted. */
export const templateFormat = z
  .enum(['CSV', 'XLSX'])
  .default('CSV')
  .refine((format) => format === 'CSV', 'XLSX templates are not available yet: use CSV');

export const templateQuery = z.object({
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'expected a locale such as de or de-DE')
    .optional()
    .meta({ description: 'Told in the file name. Columns are named as imports read them, whatever the locale' }),
});

const CSV_TYPE = 'text/csv; charset=utf-8';

export const templateResponses: Record<200, ResponseSpec> = {
  200: { description: 'A CSV file in UTF-8 with a byte order mark', schema: z.string(), contentType: CSV_TYPE },
};

/** The file as a download. */
export function templateResponse(header: readonly string[], name: string, locale: string | undefined): ApiResponse {
  const suffix = locale === undefined ? '' : `-${locale}`;
  return {
    status: 200,
    body: templateFile(header),
    headers: {
      'Content-Type': CSV_TYPE,
      'Content-Disposition': `attachment; filename="${name}${suffix}.csv"`,
    },
  };
}
