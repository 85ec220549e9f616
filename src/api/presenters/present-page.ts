/** A page of a list as every list answers it. */
import { z } from 'zod';
import type { Page, PageRequest } from '../../domain/kernel/paging.js';

interface PresentedPage<T> {
  readonly data: readonly T[];
  readonly offset: number;
  readonly limit: number;
  readonly count: number;
  readonly next?: string;
}

/** `next`, where there is one, is what `after` must be for the page that follows. */
export function presentPage<T, P>(
  page: Page<T> & { readonly next?: string | null },
  { offset, limit }: PageRequest,
  present: (row: T) => P,
): PresentedPage<P> {
  const next = page.next === undefined || page.next === null ? {} : { next: page.next };
  return { data: page.rows.map(present), offset, limit, count: page.count, ...next };
}

/** The schema of a page of these. */
export function pageSchema(element: z.ZodType): z.ZodObject {
  return z.object({
    data: z.array(element),
    offset: z.int(),
    limit: z.int(),
    count: z.int().meta({ description: 'How many there are on all pages' }),
    next: z.string().optional().meta({ description: 'The value of `after` for the page that follows' }),
  });
}
