import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { DOCUMENT_TYPES } from '../../../../../src/domain/kernel/document-type.js';
import { EVENT_NAME } from '../../../../../src/domain/webhooks/event-types/event-names.js';
import {
  aliasesOf,
  canonicalEventName,
  subscribableNames,
} from '../../../../../src/domain/webhooks/events/event-aliases.js';
import { makeEvent } from '../../../../../src/domain/webhooks/events/new-event.js';
import { EVENT_TYPES } from '../../../../../src/domain/webhooks/model/event-types.js';
import { knownEvents } from '../../../../../src/domain/webhooks/model/known-events.js';
import { subscribersOf } from '../../../../../src/domain/webhooks/subscribers.js';
import { checkEventPayload } from '../../../../support/check-event-payloads.js';

describe('event types', () => {
  it('have a name each, and no alias is the name of another', () => {
    const names = EVENT_TYPES.flatMap(({ name }) => [name, ...aliasesOf(name)]);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) if (!name.startsWith('<')) assert.match(name, EVENT_NAME);
  });

  for (const type of EVENT_TYPES) {
    it(`${type.name} has an example that its schema accepts, and JSON changes nothing of it`, () => {
      assert.deepEqual(type.payload.parse(JSON.parse(JSON.stringify(type.example))), type.example);
    });

    it(`${type.name} accepts no payload with a field that it does not describe`, () => {
      assert.equal(type.payload.safeParse({ ...(type.example as object), unknown: 1 }).success, false);
    });
  }

  it('are listed for subscribers by source: documents, the catalog, and what concerns definitions of either', () => {
    const listed = knownEvents().map(({ source, event }) => `${source} ${event}`);
    assert.deepEqual(listed, [
      ...DOCUMENT_TYPES.flatMap((type) => [`OMS ${type}_CREATED`, `OMS ${type}_UPDATED`]),
      'CATALOG ITEM_CREATED',
      'CATALOG ITEM_UPDATED',
      'CATALOG ITEM_DELETED',
      'CATALOG JOB_COMPLETED',
      'CATALOG JOB_FAILED',
      'CATALOG JOB_AWAITING_APPROVAL',
      'CATALOG EXPORT_READY',
      'CATALOG CATEGORY_DELETED',
      'CATALOG FEED_RUN_FAILED',
      'CATALOG FEED_OVERDUE',
      'OMS WEBHOOK_FAILING',
      'CATALOG WEBHOOK_FAILING',
      'OMS WEBHOOK_DISABLED',
      'CATALOG WEBHOOK_DISABLED',
    ]);
  });

  it('are subscribed to by name, by alias and by *', () => {
    assert.deepEqual(subscribableNames('ORDER_CREATE'), ['ORDER_CREATED', 'ORDER_CREATE', '*']);
    assert.deepEqual(subscribableNames('ORDER_SHIPPED'), ['ORDER_SHIPPED', '*']);
    assert.equal(canonicalEventName('ORDER_CREATE'), 'ORDER_CREATED');
  });

  it('are asked for in one query, with *', () => {
    const sql = subscribersOf('JOB_COMPLETED', 'JOB_FAILED').isAnySubscribed('job.site_id');
    assert.match(sql, /subscriber\.site_id = job\.site_id/);
    assert.match(sql, /ARRAY\['JOB_COMPLETED', 'JOB_FAILED', '\*'\]/);
  });
});

describe('the check of payloads in this test run', () => {
  it('hears of every event that is made', () => {
    const heard: unknown[] = [];
    const listen = (message: unknown) => heard.push(message);
    channel('longshore:event').subscribe(listen);
    const { payload } = makeEvent('PING', { webhookId: 'w' }, { source: 'OMS' });
    channel('longshore:event').unsubscribe(listen);
    assert.deepEqual(heard, [{ name: 'PING', source: 'OMS', payload }]);
    assert.equal(channel('longshore:event').hasSubscribers, true, 'the hook of the run listens');
  });

  it('refuses a payload that its type does not describe, and a type that is not registered', () => {
    const broken = { name: 'PING', source: 'OMS', payload: '{"webhookId":"w","more":1}' };
    assert.throws(() => checkEventPayload(broken), /the payload of PING: .*"more"/s);
    assert.throws(() => checkEventPayload({ ...broken, name: 'OTHER' }), /there is no event type OTHER/);
    const ofOther = { name: 'CATEGORY_DELETED', source: 'OMS', payload: '{}' };
    assert.throws(() => checkEventPayload(ofOther), /the source of CATEGORY_DELETED/);
  });
});
