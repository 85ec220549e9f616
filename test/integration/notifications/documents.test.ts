/**
 * The register of documents over HTTP: each operation, its headers, statuses and texts.
 * Nobody hears these events, so none comes to the queue.
 */
import assert from 'node:assert/strict';
import { DOCUMENTS, type Merchant, newMerchant } from '../../support/http/merchant.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const JANE = { name: { first: 'Jane' }, email: 'jane@example.com' };
const ORDER = { documentType: 'ORDER', id: 'SO 7/1' };
const PATH = `${DOCUMENTS}/ORDER/SO%207%2F1`;

describe('documents', () => {
  let api: TestApi;
  let shop: Merchant;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api.stop());
  beforeEach(async () => {
    shop = await newMerchant(api);
  });

  const events = async () =>
    (await shop.events()).map(({ id, event, orderNumber, payload }) => ({ id, event, orderNumber, payload }));

  describe('POST /api/v2/document', () => {
    it('answers 200 with the id of the event that it emits: <documentType>_CREATED, source OMS', async () => {
      const payload = { lines: [{ sku: 'A', quantity: 2 }], note: null };
      const answer = await shop.call('POST', DOCUMENTS, { body: { ...ORDER, payload, contactInfo: [JANE] } });
      assert.equal(answer.status, 200);
      const [created] = await shop.events();
      assert.deepEqual(answer.body, { ...ORDER, eventRequestId: created?.id });
      assert.deepEqual(created, {
        id: answer.body.eventRequestId,
        event: 'ORDER_CREATED',
        source: 'OMS',
        channel: null,
        orderNumber: ORDER.id,
        payload: { ...ORDER, contactInfo: [JANE], payload },
      });
    });

    it('needs a type and an id, and takes any JSON as the payload', async () => {
      for (const payload of [undefined, null, 0, 'x', [1], { a: { b: 1 } }]) {
        const id = `any ${JSON.stringify(payload)}`;
        const posted = await shop.call('POST', DOCUMENTS, { body: { documentType: 'INVENTORY', id, payload } });
        assert.equal(posted.status, 200, posted.text);
        const { body } = await shop.call('GET', `${DOCUMENTS}/INVENTORY/${encodeURIComponent(id)}`);
        assert.deepEqual([body.payload, body.contactInfo], [payload ?? null, []]);
      }
    });

    it('names events after the other types alike, without an orderNumber', async () => {
      const types = ['SHIPMENT', 'ALLOCATION', 'INVOICE', 'INVENTORY', 'LOCATION', 'TRANSFER'];
      for (const documentType of types) await shop.register({ documentType, id: '1' });
      const told = (await events()).map(({ event, orderNumber }) => [event, orderNumber]);
      assert.deepEqual(
        told,
        types.map((type) => [`${type}_CREATED`, null]),
      );
    });

    it('answers 409 to the same id of the same type again, and emits nothing', async () => {
      await shop.register(ORDER);
      const again = await shop.call('POST', DOCUMENTS, { body: { ...ORDER, payload: 1 } });
      assert.equal(again.status, 409);
      assert.match(again.body.message, /there is a document ORDER SO 7\/1 already; change it with PUT/);
      assert.deepEqual(Object.keys(again.body), ['message']);
      const other = await shop.call('POST', DOCUMENTS, { body: { ...ORDER, documentType: 'INVOICE' } });
      assert.equal(other.status, 200);
      assert.equal((await events()).length, 2);
    });

    it('makes one of many that come at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => shop.call('POST', DOCUMENTS, { body: ORDER })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)]);
      assert.equal((await events()).length, 1);
    });

    it('gives an Idempotency-Key the first answer again', async () => {
      const headers = { 'idempotency-key': 'd-1' };
      const all = await Promise.all(
        Array.from({ length: 10 }, () => shop.call('POST', DOCUMENTS, { body: ORDER, headers })),
      );
      assert.deepEqual([...new Set(all.map(({ status, text }) => `${status} ${text}`))].length, 1);
      assert.equal(all[0]?.status, 200);
      const other = await shop.call('POST', DOCUMENTS, { body: { ...ORDER, payload: 1 }, headers });
      assert.equal(other.status, 422);
      assert.equal((await events()).length, 1);
    });

    for (const [what, body, told] of [
      ['no type', { id: '1' }, /documentType/],
      ['an unknown type', { documentType: 'PARCEL', id: '1' }, /documentType.*ORDER/],
      ['no id', { documentType: 'ORDER' }, /id: /],
      ['an unknown field', { ...ORDER, contacts: [] }, /contacts/],
      [
        'an e-mail that is none',
        { ...ORDER, contactInfo: [{ email: 'jane' }] },
        /contactInfo.0.email: is not an e-mail/,
      ],
      ['no JSON', '{', /not JSON/],
    ] as const) {
      it(`answers 400 {message} to ${what}`, async () => {
        const answer = await shop.call('POST', DOCUMENTS, { body });
        assert.equal(answer.status, 400);
        assert.deepEqual(Object.keys(answer.body), ['message']);
        assert.match(answer.body.message, told);
      });
    }

    it('answers 413 to what is more than an event can carry, and keeps nothing', async () => {
      const answer = await shop.call('POST', DOCUMENTS, { body: { ...ORDER, payload: 'x'.repeat(262_144) } });
      assert.equal(answer.status, 413);
      assert.equal((await shop.call('GET', PATH)).status, 404);
    });
  });

  describe('GET, PUT, DELETE /api/v2/document/{documentType}/{id}', () => {
    it('GET shows it', async () => {
      await shop.register({ ...ORDER, payload: { a: 1 }, contactInfo: [JANE] });
      const { status, body } = await shop.call('GET', PATH);
      assert.equal(status, 200);
      const { createdDate, updatedDate, ...rest } = body;
      assert.deepEqual(rest, { ...ORDER, payload: { a: 1 }, contactInfo: [JANE], channel: null });
      assert.match(createdDate, /^\d{4}-.*Z$/);
      assert.equal(updatedDate, createdDate);
    });

    it('PUT changes what it names, leaves the rest, and emits <documentType>_UPDATED with the whole', async () => {
      await shop.register({ ...ORDER, payload: { a: 1 }, contactInfo: [JANE] });
      const put = async (body: object) => {
        const answer = await shop.call('PUT', PATH, { body });
        assert.equal(answer.status, 200, answer.text);
        const [{ payload, contactInfo }, last] = [(await shop.call('GET', PATH)).body, (await events()).at(-1)];
        assert.deepEqual(answer.body, { ...ORDER, eventRequestId: last?.id });
        assert.equal(last?.event, 'ORDER_UPDATED');
        assert.deepEqual(last?.payload, { ...ORDER, contactInfo, payload });
        return [payload, contactInfo];
      };
      assert.deepEqual(await put({ payload: { b: 2 } }), [{ b: 2 }, [JANE]]);
      assert.deepEqual(await put({ contactInfo: [] }), [{ b: 2 }, []]);
      assert.deepEqual(await put({ ...ORDER, payload: null, contactInfo: [JANE] }), [null, [JANE]]);
      assert.deepEqual(await put({ contactInfo: null }), [null, []]);
      assert.deepEqual(await put({}), [null, []]);
      assert.equal((await events()).length, 6);
    });

    it('PUT does not move a document: another type or id in the body is 400', async () => {
      await shop.register(ORDER);
      for (const body of [{ id: 'other' }, { documentType: 'INVOICE' }]) {
        const answer = await shop.call('PUT', PATH, { body });
        assert.equal(answer.status, 400);
        assert.match(answer.body.message, /keeps its type and id/);
      }
    });

    it('changes that come at once are all told of, none is lost', async () => {
      await shop.register(ORDER);
      const puts = Array.from({ length: 10 }, (_, n) => shop.call('PUT', PATH, { body: { payload: n } }));
      assert.deepEqual(new Set((await Promise.all(puts)).map(({ status }) => status)), new Set([200]));
      const told = (await events()).slice(1).map(({ payload }) => payload.payload as number);
      assert.deepEqual(
        told.sort((a, b) => a - b),
        [...Array(10).keys()],
      );
    });

    it('DELETE takes it out of the register; its id is free again', async () => {
      await shop.register(ORDER);
      const { status, body } = await shop.call('DELETE', PATH);
      assert.deepEqual([status, body], [200, { ...ORDER, erased: { notifications: 0, events: 1 } }]);
      assert.equal((await events()).length, 1, 'tells nobody');
      await shop.register(ORDER);
    });

    it('answers 404 to what there is not: unknown, of another account, stage or channel', async () => {
      await shop.call('POST', DOCUMENTS, {
        body: ORDER,
        headers: { 'x-site-context': shop.context({ channel: 7 }) },
      });
      const stranger = await newMerchant(api);
      const message = "Entity with Id SO 7/1 doesn't exist";
      for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
        const ask = (who: Merchant, path: string, context?: string) =>
          who.call(method, path, { body, headers: { 'x-site-context': context } });
        for (const answer of [
          await ask(stranger, PATH),
          await ask(shop, PATH.replace('ORDER', 'INVOICE')),
          await ask(shop, PATH, shop.context({ stage: 'test' })),
          await ask(shop, PATH, shop.context({ channel: 8 })),
        ]) {
          assert.deepEqual([answer.status, answer.body], [404, { message }]);
        }
        assert.equal((await ask(shop, PATH)).status, 200, 'without a channel all are seen');
      }
    });

    it('answers 400 to a type that there is not', async () => {
      assert.equal((await shop.call('GET', `${DOCUMENTS}/PARCEL/1`)).status, 400);
    });

    it('asks for documents:read and documents:write', async () => {
      const weak = await newMerchant(api, ['notifications:send', 'webhooks:write', 'catalog:write', 'events:write']);
      for (const [scope, method, path, body] of [
        ['documents:write', 'POST', DOCUMENTS, ORDER],
        ['documents:read', 'GET', PATH],
        ['documents:write', 'PUT', PATH, {}],
        ['documents:write', 'DELETE', PATH],
      ] as const) {
        const answer = await weak.call(method, path, { body });
        assert.equal(answer.status, 403);
        assert.match(answer.body.message, new RegExp(scope));
        const { status } = await (await newMerchant(api, [scope])).call(method, path, { body });
        assert.ok(status === 404 || status === 200, `${method} with ${scope}: ${status}`);
      }
    });
  });
});
