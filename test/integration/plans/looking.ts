/** What people look at: pages of items. */
import { searchItems } from '../../../src/domain/exports/search-items.js';
import type { Laid } from '../../support/worlds/plans/laid-ids.js';
import { accountOf, BUSY_SITE, type HotWork } from './hot-work.js';

const ALL = { match: { types: ['I', 'B'] } } as const;
const FIRST = { from: {}, limit: 50, shown: [] } as const;

function siteOf(laid: Laid) {
  return { siteId: BUSY_SITE, accountId: accountOf(laid, BUSY_SITE), stage: 'production', channel: null, date: null };
}

export const LOOKING: readonly HotWork[] = [
  {
    does: 'shows the first items of a stage',
    // 2,000 items of its first window, of which 50 are looked at.
    within: 2_500,
    withinDead: 5_000,
    run: (trx, laid) => searchItems(trx, siteOf(laid), ALL, FIRST),
  },
  {
    does: 'shows the last items of a stage',
    within: 2_500,
    withinDead: 5_000,
    run: (trx, laid) => searchItems(trx, siteOf(laid), ALL, { ...FIRST, from: { fromEnd: true } }),
  },
  {
    does: 'finds an item by the beginning of its SKU',
    within: 300,
    withinDead: 5_000,
    run: (trx, laid) => searchItems(trx, siteOf(laid), { ...ALL, skuPrefix: 'none' }, FIRST),
  },
];
