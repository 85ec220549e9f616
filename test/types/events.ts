/** What must not compile about events. Checked by the compiler; never run. */
import type { Knex } from 'knex';
import type { Db } from '../../db/connection.js';
import { newNotificationEvent } from '../../src/domain/webhooks/client-events.js';
import { emitEvents, newEvent } from '../../src/domain/webhooks/emit-events.js';
import { subscribersOf } from '../../src/domain/webhooks/subscribers.js';

declare const trx: Knex.Transaction;
declare const db: Db;
const origin = { siteId: 1, accountId: 'a' };
const items = { jobId: 'j', type: 'ITEM_IMPORT', skus: ['A'] };
const ITEMS = subscribersOf('ITEM_CREATED', 'ITEM_DELETED');

// What a query asks for can be emitted, with the payload of its type.
void emitEvents(trx, origin, [ITEMS.event('ITEM_CREATED', items, {})]);
// @ts-expect-error events commit with what they are about: a pool is no transaction
void emitEvents(db, origin, [ITEMS.event('ITEM_CREATED', items, {})]);
// @ts-expect-error the query does not ask whether anybody subscribes to it
ITEMS.event('ITEM_UPDATED', items, {});
// @ts-expect-error no query asks for it
newEvent('ITEM_CREATED', items, {});
// @ts-expect-error there is no such event
subscribersOf('ITEM_LOST');
// @ts-expect-error documents emit their events whether or not anybody subscribes: there is nothing to ask
subscribersOf('ORDER_CREATED');
// @ts-expect-error a field is missing
ITEMS.event('ITEM_CREATED', { jobId: 'j', type: 'ITEM_IMPORT' }, {});
// @ts-expect-error a field is not described
ITEMS.event('ITEM_CREATED', { ...items, count: 1 }, {});

const order = { documentType: 'ORDER', id: '1', contactInfo: [], payload: null } as const;
void emitEvents(trx, origin, [newEvent('ORDER_CREATED', order, { channel: 7 })]);
// @ts-expect-error there is no such document
newEvent('PARCEL_CREATED', order, {});
// @ts-expect-error an event about a definition is emitted by webhooks alone
newEvent('WEBHOOK_DISABLED', { webhookId: 'w', target: 't', reason: 'r' }, {});
// @ts-expect-error a notification has a name, which its sender gives
newNotificationEvent({ documentType: 'ORDER', id: '1', contactInfo: [] }, {});
// @ts-expect-error an event is made from its type
void emitEvents(trx, origin, [{ record: { source: 'OMS', event: 'ORDER_CREATED', payload: '{}' }, payload: '{}' }]);
