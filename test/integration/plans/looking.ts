/** What people look at: pages of items, all of them and those that meet a filter. */
import type { ItemMatch } from '../../../src/domain/exports/model/export-spec.js';
import { searchItems } from '../../../src/domain/exports/search-items.js';
import { type Laid, laidId } from '../../support/worlds/plans/laid-ids.js';
import { accountOf, type HotWork } from './hot-work.js';

const ALL: ItemMatch = { types: ['I', 'B'] };
const FIRST = { from: {}, limit: 50, shown: [] } as const;

/** The site of most items. */
function siteOf(laid: Laid) {
  const siteId = laid.sites;
  return { siteId, accountId: accountOf(laid, siteId), stage: 'production', channel: null, date: null };
}

const title = (laid: Laid) => laidId(laid, 'attribute', laid.sites);

/** Filters that one of two items meets, or more: the first window has enough of them. */
const FILTERS: readonly (readonly [what: string, search: (laid: Laid) => Parameters<typeof searchItems>[2]])[] = [
  ['all', () => ({ match: ALL })],
  ['of a status', () => ({ match: { ...ALL, status: 'L' } })],
  ['of a type', () => ({ match: { types: ['I'] } })],
  ['below a category', (laid) => ({ match: { ...ALL, categoryIds: [laidId(laid, 'category', 2 * laid.sites)] } })],
  ['changed since a day', () => ({ match: { ...ALL, updatedAt: { from: '2020-01-01T00:00:00Z' } } })],
  ['with a part of a text', () => ({ match: ALL, q: 'tle' })],
  ['with a value', (laid) => ({ match: { ...ALL, properties: [titleThat(laid, { op: 'CONTAINS', text: 'xx' })] } })],
  [
    'that have a value',
    (laid) => ({ match: { ...ALL, properties: [titleThat(laid, { op: 'EXISTS', exists: true })] } }),
  ],
];

function titleThat(laid: Laid, test: NonNullable<ItemMatch['properties']>[number]['test']) {
  return { attributeId: title(laid), type: 'TEXT', comparison: 'text', test } as const;
}

export const LOOKING: readonly HotWork[] = [
  ...FILTERS.flatMap(
    ([what, search]) =>
      [
        {
          does: `shows the first items ${what}`,
          // 2,000 items of its first window, of which 50 are looked at.
          within: 2_500,
          withinDead: 5_000,
          run: (trx, laid) => searchItems(trx, siteOf(laid), search(laid), FIRST),
        },
        {
          does: `shows the last items ${what}`,
          within: 2_500,
          withinDead: 5_000,
          run: (trx, laid) => searchItems(trx, siteOf(laid), search(laid), { ...FIRST, from: { fromEnd: true } }),
        },
      ] satisfies HotWork[],
  ),
  {
    does: 'finds an item by the beginning of its SKU',
    within: 300,
    withinDead: 5_000,
    run: (trx, laid) => searchItems(trx, siteOf(laid), { match: ALL, skuPrefix: 'sku 0000199' }, FIRST),
  },
];
