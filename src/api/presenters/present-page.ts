/** A page of a list, in the form that all lists answer. */
import { z } from 'zod';
import type { Page, PageRequest } from '../../domain/kernel/paging.js';

interface PresentedPage<T> {
  readonly data: readonly T[];
  readonly offset: number;
  readonly limit: number;
  readonly count: number;
  readonly next?: string;
}

/** `next`, if there is one, is the value of `after` for the next page. */
export function presentPage<T, P>(
  page: Page<T> & { readonly next?: string | null },
  { offset, limit }: PageRequest,
  present: (row: T) => P,
): PresentedPage<P> {
  const next = page.next === undefined || page.next === null ? {} : { next: page.next };
  return { data: page.rows.map(present), offset, limit, count: page.count, ...next };
}

/** The schema of a page of such elements. */
export function pageSchema(element: z.ZodType): z.ZodObject {
  return z.object({
    data: z.array(element),
    offset: z.int(),
    limit: z.int(),
    count: z.int().meta({ description: 'The number of elements on all pages' }),
    next: z.string().optional().meta({ description: 'The value of `after` for the next page' }),
  });
}
