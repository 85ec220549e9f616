/** The load of small jobs: a third each of inserts into one site, ordered upserts of another, inserts over 200 sites. */
import type { ApiClient } from './api-client.js';
import { insertOf, type SmallRequest, upsertOf } from './small-jobs.js';

/** How many sites the last third goes to. */
const SPREAD_SITES = 200;
/** How many sites a mixture needs. */
export const MIXTURE_SITES = 2 + SPREAD_SITES;

/**
 * Requests of ten rows, one of each third in turn.
 * @param sites as many as `MIXTURE_SITES`
 * @param first number of the first: requests of other numbers insert other rows, and upsert other values
 */
export function mixtureOf(sites: readonly ApiClient[], count: number, first: number): SmallRequest[] {
  const [inserts, upserts, ...spread] = sites;
  if (inserts === undefined || upserts === undefined || spread.length !== SPREAD_SITES) {
    throw new Error(`a mixture goes to ${MIXTURE_SITES} sites, not to ${sites.length}`);
  }
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    const turn = Math.floor(number / 3);
    if (number % 3 === 0) return insertOf(inserts, number);
    if (number % 3 === 1) return upsertOf(upserts, turn);
    return insertOf(spread[turn % SPREAD_SITES] ?? inserts, number);
  });
}
