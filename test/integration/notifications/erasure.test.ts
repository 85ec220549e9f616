/**
 * Where people's contacts are kept, and that they leave from there with their document.
 * Nobody hears their events, so none comes to the queue.
 */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createApp } from '../../../src/api/app.js';
import { startServer } from '../../../src/api/server.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { pruneNotifications } from '../../../src/domain/notifications/prune-notifications.js';
import { createLogger } from '../../../src/platform/logger.js';
import { DOCUMENTS, type Merchant, newMerchant, SEND } from '../../support/http/merchant.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const JANE = { name: { first: 'Jane', last: 'Traceable' }, email: 'jane@trace.example' };
const JOHN = { email: 'john@trace.example', phone: { number: '4900000123', type: 'HOME' } };
const PERSONAL = /traceable|trace\.example|4900000123/i;

describe('contacts', () => {
  let api: TestApi;
  let shop: Merchant;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api.stop());
  beforeEach(async () => {
    shop = await newMerchant(api);
  });

  /** Every table that says something personal, by name. */
  async function tablesThatTell(): Promise<string[]> {
    const { rows } = await api.db.raw("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename");
    const telling: string[] = [];
    for (const { tablename } of rows) {
      const content = await api.db.raw('SELECT t::text AS row FROM ?? AS t', [tablename]);
      if (content.rows.some(({ row }: { row: string }) => PERSONAL.test(row))) telling.push(tablename);
    }
    return telling;
  }

  it('are gone from the whole database with their document: notifications, payloads, answers of targets, repeated requests', async () => {
    await shop.register({ id: '1', contactInfo: [JANE], payload: { total: 1.5 } });
    await shop.call('PUT', `${DOCUMENTS}/ORDER/1`, { body: { contactInfo: [JANE, JOHN] } });
    const body = { id: '1', documentType: 'ORDER', notificationType: 'ORDER_SHIPPED', overrideContactInfo: [JOHN] };
    const key = { 'idempotency-key': 'e-1' };
    assert.equal((await shop.send(body, key)).status, 200);
    await targetAnswered(JSON.stringify(JOHN));
    assert.deepEqual(await tablesThatTell(), ['delivery_attempt', 'document', 'event', 'notification']);

    const { body: erased } = await shop.call('DELETE', `${DOCUMENTS}/ORDER/1`);
    assert.deepEqual(erased.erased, { notifications: 1, events: 3 });
    assert.deepEqual(await tablesThatTell(), []);
    const [created, , told] = await shop.events();
    const reference = { documentType: 'ORDER', id: '1' };
    assert.deepEqual(created?.payload, { ...reference, contactInfo: [], payload: { total: 1.5 } });
    assert.deepEqual(told?.payload, { ...reference, notificationType: 'ORDER_SHIPPED', contactInfo: [] });
    const again = await shop.send(body, key);
    assert.deepEqual([again.status, again.body], [200, [{ ...body, overrideContactInfo: [] }]]);
  });

  it('are the only part of a payload that changes: every other byte stays as it was sent', async () => {
    const payload = '{ "id":12345678901234567890, "price" : 1.10,"far":1e400,"contactInfo":"\\u0041" }';
    const id = 'a "contactInfo": [';
    const document = `{"documentType":"ORDER","id":${JSON.stringify(id)},"payload": ${payload},"contactInfo":[${JSON.stringify(JANE)}]}`;
    assert.equal((await shop.call('POST', DOCUMENTS, { body: document })).status, 200);
    const path = `${DOCUMENTS}/ORDER/${encodeURIComponent(id)}`;
    assert.ok((await shop.call('GET', path)).text.includes(`"payload":${payload},`), 'the document shows it');
    // Events that an earlier release has erased have spaces around their colons.
    const spaced = '{ "id" : "1", "contactInfo" : [{"email":"jane@trace.example"}], "payload" : 1.10 }';
    const [old, bare] = [newId(), newId()];
    const { site_id } = await api.db('event').where({ account_id: shop.account }).first();
    for (const [event_id, text] of [
      [old, spaced],
      [bare, '{}'],
    ] as const) {
      const row = { site_id, account_id: shop.account, source: 'OMS', event: 'OLD', payload: text };
      await api.db('event').insert({ ...row, id: event_id });
      await api.db('document_event').insert({ event_id, site_id, document_type: 'ORDER', document_id: id });
    }
    assert.equal((await shop.call('DELETE', path)).body.erased.events, 3);
    const texts: string[] = await api.db('event').where({ account_id: shop.account }).pluck('payload');
    const expected = [
      `{"documentType":"ORDER","id":${JSON.stringify(id)},"contactInfo":[],"payload":${payload}}`,
      '{ "id" : "1", "contactInfo" : [], "payload" : 1.10 }',
      '{}',
    ];
    assert.deepEqual(texts.sort(), expected.sort());
    assert.deepEqual(await tablesThatTell(), []);
  });

  /** As if a definition had heard the last event, and its target had answered with what it was sent. */
  async function targetAnswered(response: string): Promise<void> {
    const [{ id: eventId = '', site_id: siteId = 0 } = {}] = await api
      .db('event')
      .where({ account_id: shop.account, event: 'ORDER_SHIPPED' });
    const delivery = { id: newId(), event_id: eventId, definition_id: newId(), site_id: siteId };
    await api.db('delivery').insert(delivery);
    await api.db('delivery_attempt').insert({
      delivery_id: delivery.id,
      attempt: 1,
      outcome: 'delivered',
      duration_ms: 1,
      triggered_at: new Date(),
      response,
    });
  }

  it('of other documents stay', async () => {
    for (const id of ['1', '2']) await shop.register({ id, contactInfo: [JANE] });
    await shop.register({ documentType: 'INVOICE', id: '1', contactInfo: [JANE] });
    const stranger = await newMerchant(api);
    await stranger.register({ id: '1', contactInfo: [JANE] });
    const { body } = await shop.call('DELETE', `${DOCUMENTS}/ORDER/1`);
    assert.deepEqual(body.erased, { notifications: 0, events: 1 });
    const left = await Promise.all([shop.events(), stranger.events()]);
    assert.deepEqual(
      left.flat().map(({ payload }) => (payload.contactInfo as unknown[]).length),
      [0, 1, 1, 1],
    );
  });

  it('after an erasure the same may be sent again about a new document of that id', async () => {
    const body = { id: '1', documentType: 'ORDER', notificationType: 'A', overrideContactInfo: [JOHN] };
    for (let round = 0; round < 2; round++) {
      await shop.register({ id: '1' });
      assert.equal((await shop.send(body)).status, 200);
      assert.equal((await shop.send(body)).status, 409);
      await shop.call('DELETE', `${DOCUMENTS}/ORDER/1`);
    }
  });

  it('leave with their notification when it has had its time', async () => {
    await shop.register({ id: '1' });
    const body = { id: '1', documentType: 'ORDER', overrideContactInfo: [JOHN] };
    for (const notificationType of ['OLD', 'YOUNG']) await shop.send({ ...body, notificationType });
    const mine = { account_id: shop.account };
    const DAY_MS = 86_400_000;
    await api
      .db('notification')
      .where({ ...mine, notification_type: 'OLD' })
      .update({ created_at: new Date(Date.now() - 31 * DAY_MS) });
    const lately = new Date(Date.now() - 30 * DAY_MS);
    await pruneNotifications(api.db, lately);
    const left = await api.db('notification').where(mine).select('notification_type');
    assert.deepEqual(left, [{ notification_type: 'YOUNG' }]);
    const ties = () => api.db('document_event').join('event', 'event.id', 'document_event.event_id').where(mine);
    assert.equal((await ties()).length, 1);
    await pruneNotifications(api.db, new Date(Date.now() + 1_000));
    assert.equal((await ties()).length, 0);
  });

  it('are in no log: not when all goes well, not when the database refuses and quotes the row', async () => {
    const logged = new PassThrough();
    const logger = createLogger('test', 'trace', logged);
    const server = await startServer(createApp({ ...api.services, logger }).callback(), {
      host: '127.0.0.1',
      port: 0,
    });
    const statuses: number[] = [];
    const post = async (path: string, body: unknown) => {
      const headers = {
        authorization: `Bearer ${shop.token}`,
        'tenant-key': shop.account,
        'content-type': 'application/json',
      };
      const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      await response.body?.cancel();
      statuses.push(response.status);
    };
    const about = { id: '1', documentType: 'ORDER', overrideContactInfo: [JOHN] };
    await post(DOCUMENTS, { documentType: 'ORDER', id: '1', contactInfo: [JANE] });
    await post(SEND, { ...about, notificationType: 'A' });
    await post(SEND, {
      ...about,
      notificationType: 'A',
      overrideContactInfo: [{ ...JANE, email: 'jane trace.example' }],
    });
    for (const table of ['notification', 'document'] as const) {
      await api.db.raw('ALTER TABLE ?? ADD CONSTRAINT broken_ck CHECK (false) NOT VALID', [table]);
    }
    try {
      await post(SEND, { ...about, notificationType: 'B' });
      await post(DOCUMENTS, { documentType: 'ORDER', id: '2', contactInfo: [JANE] });
    } finally {
      for (const table of ['notification', 'document'] as const) {
        await api.db.raw('ALTER TABLE ?? DROP CONSTRAINT broken_ck', [table]);
      }
    }
    await server.stop(1_000);
    logged.end();
    const lines = await text(logged);
    assert.deepEqual(statuses, [200, 200, 400, 500, 500]);
    assert.match(lines, /violates check constraint/);
    assert.doesNotMatch(lines, PERSONAL);
  });
});
