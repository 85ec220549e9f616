/** The endpoints of the feed of changes, and of the history of an item. */
import { z } from 'zod';
import { findItem } from '../../domain/catalog/items/find-item.js';
import { normalizeSku } from '../../domain/catalog/items/item-key.js';
import { nameChanges } from '../../domain/catalog/items/named-changes.js';
import { presentCursor, readFeed } from '../../domain/changes/feed.js';
import { approvalsOfChanges, pageItemHistory } from '../../domain/changes/item-history.js';
import { changeLimit, changePage, chosenChanges, followedChanges } from '../change-query.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { asInteger, digits } from '../list-query.js';
import { givenName, nameInQuery } from '../named-in-query.js';
import { changeSchema, historyPageSchema, presentChange, presentHistoryPage } from '../presenters/present-change.js';
import { waitingClient } from '../waiting-client.js';

/** Some load balancers close a request after 30 s. */
const MAX_WAIT_SECONDS = 25;

const readChangeCursorRoute = defineRoute({
  method: 'GET',
  path: '/changes/cursor',
  operationId: 'getChangeCursor',
  family: 'catalog',
  tag: 'Changes',
  summary: 'Get the cursor of the present',
  description:
    'Changes that are committed from now on come after it. To follow a catalog, get the cursor first, export the items, and then read `GET /changes?since=`.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  responses: { 200: { description: 'The cursor', schema: z.object({ cursor: z.string() }) } },
  async handle({ site: { siteId } }, { db }) {
    return { status: 200, body: { cursor: await presentCursor(db, siteId) } };
  },
});

const readChangesRoute = defineRoute({
  method: 'GET',
  path: '/changes',
  operationId: 'listChanges',
  family: 'catalog',
  tag: 'Changes',
  summary: 'Follow the changes of items and definitions',
  description:
    'All changes of the data set in the order in which they were committed, deletions included. No change is left out, and none comes twice beyond its cursor, whatever is written meanwhile. Keep the `cursor` of each answer, and send it as `since` of the next call.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: z.strictObject({
    since: z.string().meta({ description: 'The `cursor` of the previous answer, or of `GET /changes/cursor`' }),
    ...followedChanges,
    limit: changeLimit,
    wait: digits(0, MAX_WAIT_SECONDS)
      .default(0)
      .meta(
        asInteger(
          `How many seconds to wait for a change when there is none (default 0, at most ${MAX_WAIT_SECONDS})`,
          0,
          MAX_WAIT_SECONDS,
        ),
      ),
  }),
  refusals: { 410: 'Changes after the cursor are no longer kept, or the database was restored: begin again' },
  responses: {
    200: {
      description: 'Changes',
      schema: z.object({
        data: z.array(changeSchema),
        cursor: z.string().meta({ description: 'Where the next call goes on' }),
        more: z.boolean().meta({ description: 'Whether there are further changes already' }),
      }),
    },
  },
  async handle(request, services) {
    const { query, site, takeTurn, endTurn } = request;
    const { since, limit, wait, ...chosen } = query;
    const { siteId } = site;
    const { db, feedWatch } = services;
    const filter = { ...(await chosenChanges(db, siteId, chosen)), withCreatedAndDeleted: true };
    const endsAt = performance.now() + wait * 1_000;
    let page = await readFeed(db, siteId, since, filter, limit);
    // Once: changes that are not asked for may wake it many times.
    const signal = page.entries.length === 0 && wait > 0 ? waitingClient(request, services).signal : undefined;
    for (let left = wait * 1_000; signal !== undefined && left > 0; left = endsAt - performance.now()) {
      endTurn();
      await feedWatch.wait(siteId, page.position, left, signal);
      if (signal.aborted) break;
      await takeTurn();
      page = await readFeed(db, siteId, page.cursor, filter, limit);
      if (page.entries.length > 0) break;
    }
    const data = (await nameChanges(db, siteId, page.entries)).map(presentChange);
    return { status: 200, body: { data, cursor: page.cursor, more: page.more } };
  },
});

const readItemHistoryRoute = defineRoute({
  method: 'GET',
  path: '/api-product/v1/product/:sku/history',
  operationId: 'getItemHistory',
  family: 'catalog',
  tag: 'Changes',
  summary: 'Read the history of an item, newest first',
  description:
    'Who changed what, when, by which job and from which row, and who has approved it. Also of an item that was deleted.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: z.object({ sku: z.string() }),
  query: z.strictObject({ sku: nameInQuery('SKU'), ...changePage }),
  responses: {
    200: { description: 'Changes', schema: historyPageSchema },
  },
  async handle({ params, query: { limit, after, ...given }, site }, { db }) {
    const { siteId } = site;
    const sku = givenName('sku', params.sku, given.sku);
    const page = await pageItemHistory(db, siteId, normalizeSku(sku), { limit, after });
    // An item of which no change is kept any more has to be there.
    if (page.entries.length === 0 && after === undefined) await findItem(db, site, sku);
    const approvals = await approvalsOfChanges(db, siteId, page);
    const changes = await nameChanges(db, siteId, page.entries);
    return { status: 200, body: presentHistoryPage(changes, approvals, limit, page.next) };
  },
});

export const changeRoutes: readonly Route[] = [readChangeCursorRoute, readChangesRoute, readItemHistoryRoute];
