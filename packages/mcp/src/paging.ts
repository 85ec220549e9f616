/** The pages of all tools: `limit`, `after` and `next`. */
import { z } from 'zod';
import { ToolProblem } from './problem.js';
import type { Page } from './small.js';

const MOST_ROWS = 50;

export const limitInput = z
  .int()
  .min(1)
  .max(MOST_ROWS)
  .default(20)
  .describe('How many at most; fewer if they would be too much to read');

/** What a tool that answers pages is given. */
export const paged = {
  limit: limitInput,
  after: z.string().min(1).optional().describe('The "next" of the previous answer'),
};

/** What it answers besides its rows. */
export const pagedOutput = {
  next: z.string().optional().describe('Given as "after", it continues here. Absent: there is no more'),
};

/** @param page of which the rows are answered elsewhere */
export function nextOf({ next }: Pick<Page<unknown>, 'next'>): { next?: string } {
  return next === undefined ? {} : { next };
}

/** The end of a sentence about a page. */
export function moreText({ next }: Pick<Page<unknown>, 'next'>): string {
  return next === undefined ? 'There is no more.' : 'There is more: call again with "next" as "after".';
}

export function changesText(count: number): string {
  return count === 1 ? '1 change' : `${count} changes`;
}

interface Counted<Row> {
  readonly data: readonly Row[];
  readonly offset: number;
  readonly count: number;
}

/** The page of a list that counts its rows. */
export function pageOf<Row, Shown>({ data, offset, count }: Counted<Row>, show: (row: Row) => Shown): Page<Shown> {
  const end = offset + data.length;
  return { rows: data.map(show), count, next: data.length > 0 && end < count ? String(end) : undefined };
}

/** Where the page of such a list begins. @throws ToolProblem */
export function offsetOf(after: string | undefined): number {
  if (after === undefined) return 0;
  if (/^\d{1,9}$/.test(after)) return Number(after);
  throw new ToolProblem('"after" is not the "next" of an answer of this tool', {
    code: 'CURSOR_INVALID',
    advice: 'Take it as it was answered, or leave it out for the first page',
  });
}

type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value. */
export function known<T extends object>(given: T): Known<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Known<T>;
}
