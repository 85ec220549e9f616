/** The `limit` of pages of rows, which may be larger than that of other lists. */
import { z } from 'zod';

const MAX_ROWS_A_PAGE = 1_000;

export function resultLimit(fallback: number) {
  const expected = `expected a whole number from 1 to ${MAX_ROWS_A_PAGE}`;
  return z
    .string(expected)
    .regex(/^\d{1,4}$/, expected)
    .transform(Number)
    .refine((value) => value >= 1 && value <= MAX_ROWS_A_PAGE, expected)
    .default(fallback)
    .meta({ description: `How many rows to return (default ${fallback}, at most ${MAX_ROWS_A_PAGE})` });
}
