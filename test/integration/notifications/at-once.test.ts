/**
 * Notifications that are sent at the same time, or while their document goes, and processes that die in between.
 * Nobody hears them, so none comes to the queue.
 */
import assert from 'node:assert/strict';
import { sendNotifications } from '../../../src/domain/notifications/send-notifications.js';
import type { Answer } from '../../support/http/call-api.js';
import { DOCUMENTS, type Merchant, newMerchant } from '../../support/http/merchant.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const JANE = { email: 'jane@example.com' };

describe('notifications at the same time', () => {
  let api: TestApi;
  let shop: Merchant;
  before(async () => {
    api = await startTestApi({ environment: { DATABASE_POOL_MAX: '8' } });
  });
  after(() => api.stop());
  beforeEach(async () => {
    shop = await newMerchant(api);
  });

  const about = (id: string, over: object = {}) => ({
    id,
    documentType: 'ORDER',
    notificationType: 'ORDER_SHIPPED',
    overrideContactInfo: [JANE],
    ...over,
  });
  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();
  const sent = async () => (await shop.events()).filter(({ event }) => event === 'ORDER_SHIPPED').length;

  it('of many identical ones exactly one wins, and the others are told "Conflict with duplicated entity"', async () => {
    await shop.register({ id: '1' });
    for (let round = 1; round <= 5; round++) {
      const body = about('1', { overrideContactInfo: [{ email: `${round}@example.com` }] });
      const answers = await Promise.all(Array.from({ length: 12 }, () => shop.send(body)));
      assert.deepEqual(statuses(answers), [200, ...Array(11).fill(409)]);
      const texts = answers.filter(({ status }) => status === 409).map(({ text }) => text);
      assert.deepEqual(new Set(texts), new Set(['"Conflict with duplicated entity"']));
      assert.equal(await sent(), round);
    }
  });

  it('of many whose twin is over 24 h old exactly one wins', async () => {
    await shop.register({ id: '1' });
    await shop.send(about('1'));
    const old = { created_at: api.db.raw("now() - interval '25 hours'") };
    await api.db('notification').where({ account_id: shop.account }).update(old);
    const answers = await Promise.all(Array.from({ length: 12 }, () => shop.send(about('1'))));
    assert.deepEqual(statuses(answers), [200, ...Array(11).fill(409)]);
    assert.equal(await sent(), 2);
  });

  it('requests that hold the same in any order never wait for each other in a circle', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `o${n}`);
    for (const id of ids) await shop.register({ id });
    const forth = ids.map((id) => about(id));
    const rotations = ids.map((_, n) => [...forth.slice(n), ...forth.slice(0, n)]);
    const answers = await Promise.all([forth.toReversed(), ...rotations].map((body) => shop.send(body)));
    assert.deepEqual(statuses(answers), [200, ...Array(20).fill(409)]);
    assert.equal(await sent(), 20);
  });

  it('about one document, but different, all are sent', async () => {
    await shop.register({ id: '1' });
    const bodies = Array.from({ length: 20 }, (_, n) =>
      about('1', { overrideContactInfo: [{ email: `${n}@ex.com` }] }),
    );
    assert.deepEqual(statuses(await Promise.all(bodies.map((body) => shop.send(body)))), Array(20).fill(200));
  });

  it('twins with one Idempotency-Key both hear the first answer', async () => {
    await shop.register({ id: '1' });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => shop.send(about('1'), { 'idempotency-key': 'one' })),
    );
    assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal(answers[0]?.status, 200);
    assert.equal(await sent(), 1);
  });

  it('a document that is erased meanwhile leaves no contact behind', async () => {
    for (let round = 0; round < 10; round++) {
      const id = `gone ${round}`;
      await shop.register({ id, contactInfo: [JANE] });
      const path = `${DOCUMENTS}/ORDER/${encodeURIComponent(id)}`;
      const [erased, ...answers] = await Promise.all([
        shop.call('DELETE', path),
        ...Array.from({ length: 4 }, (_, n) => shop.send(about(id, { notificationType: `N${n}` }))),
        shop.call('PUT', path, { body: { contactInfo: [JANE] } }),
      ]);
      assert.equal(erased?.status, 200);
      assert.ok(answers.every(({ status }) => status === 200 || status === 404));
    }
    const mine = { account_id: shop.account };
    const rows = ['event', 'notification', 'document'].map((table) => api.db(table).where(mine));
    const kept = JSON.stringify(await Promise.all(rows));
    assert.ok(!kept.includes(JANE.email));
  });

  it('what dies before it commits leaves nothing, and can be sent again', async () => {
    await shop.register({ id: '1' });
    const site = { accountId: shop.account, stage: 'production', channel: null, date: null };
    const { site_id: siteId } = await api.db('document').where({ account_id: shop.account }).first('site_id');
    const dying = api.db.transaction(async (trx) => {
      const request = { ...about('1'), documentType: 'ORDER' } as const;
      await sendNotifications(trx, { ...site, siteId }, [request]);
      await trx.raw('SELECT pg_terminate_backend(pg_backend_pid())');
    });
    await assert.rejects(dying);
    assert.equal(await sent(), 0);
    assert.equal((await shop.send(about('1'))).status, 200);
  });
});
