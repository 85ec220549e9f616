/**
 * The operation "Send notification" as the interface description has it, sentence by sentence; what it leaves open is after that.
 * Nobody hears these events, so none comes to the queue: that is delivered.test.ts.
 */
import assert from 'node:assert/strict';
import { type Merchant, newMerchant, SEND } from '../../support/http/merchant.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const JANE = {
  name: { first: 'Jane', middle: 'M', last: 'Doe' },
  email: 'jane@example.com',
  phone: { number: '4915112345678', type: 'MOBILE' },
};
const JOHN = { name: { first: 'John', last: 'Roe' }, email: 'john@example.com' };

describe('POST {base_url}/api/v2/notification/send', () => {
  let api: TestApi;
  let shop: Merchant;
  let orders = 0;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api.stop());
  beforeEach(async () => {
    shop = await newMerchant(api);
  });

  /** Registers an order and is a notification about it. */
  async function aboutOrder(over: Readonly<Record<string, unknown>> = {}): Promise<Record<string, unknown>> {
    const id = `order-${++orders}`;
    await shop.register({ id, contactInfo: [JOHN] });
    return { id, notificationType: 'ORDER_SHIPPED', documentType: 'ORDER', overrideContactInfo: [JANE], ...over };
  }

  const tellings = async () => (await shop.events()).filter(({ event }) => event !== 'ORDER_CREATED');

  describe('Headers: Authorization, Content-Type, tenant-key', () => {
    it('"Authorization | Bearer <ACCESS_TOKEN>": without one, or with one that is unknown, 401 "Unauthorized"', async () => {
      const body = await aboutOrder();
      for (const authorization of [undefined, 'Bearer lst_unknown', 'Basic eDp5']) {
        const answer = await shop.send(body, { authorization });
        assert.equal(answer.status, 401);
        assert.equal(answer.text, '"Unauthorized"');
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
        assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
      }
    });

    it('a token without the scope notifications:send: 403 "Forbidden"', async () => {
      const other = await newMerchant(api, ['events:write', 'webhooks:read', 'webhooks:write', 'catalog:write']);
      const answer = await other.send(await aboutOrder());
      assert.equal(answer.status, 403);
      assert.equal(answer.text, '"Forbidden"');
    });

    it('"Content-Type | application/json": another is 415, in a JSON string', async () => {
      const body = JSON.stringify(await aboutOrder());
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', '', 'application/json; charset=latin1']) {
        const answer = await shop.send(body, { 'content-type': type });
        assert.equal(answer.status, 415, type);
        assert.equal(answer.text, '"Unsupported Media Type"');
      }
      assert.equal((await shop.send(body, { 'content-type': 'application/json; charset=utf-8' })).status, 200);
    });

    it('"Notification send | Also requires the tenant-key header": without it 400, another account\'s 403', async () => {
      const body = await aboutOrder();
      for (const key of [undefined, '', '  ']) {
        const answer = await shop.send(body, { 'tenant-key': key });
        assert.deepEqual([answer.status, answer.text], [400, '"Generic Bad Request Response"']);
        assert.match(answer.headers.get('x-error-detail') ?? '', /tenant-key/);
      }
      const { account } = await newMerchant(api);
      for (const key of [account, 'ffffffffffffffffffffffff', 'x']) {
        const answer = await shop.send(body, { 'tenant-key': key });
        assert.deepEqual([answer.status, answer.text], [403, '"Forbidden"']);
      }
      assert.deepEqual(await tellings(), []);
    });

    it('asks for no x-site-context, and refuses one that is malformed or of another account', async () => {
      const body = await aboutOrder();
      const { account } = await newMerchant(api);
      assert.equal((await shop.send(body, { 'x-site-context': 'nonsense' })).status, 400);
      assert.equal((await shop.send(body, { 'x-site-context': JSON.stringify({ account }) })).status, 403);
      assert.equal((await shop.send(body)).status, 200);
    });
  });

  describe('"Success response: a JSON array of objects, each with id, documentType, notificationType and overrideContactInfo"', () => {
    it('200 for one notification', async () => {
      const body = await aboutOrder();
      const answer = await shop.send(body);
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
      assert.deepEqual(answer.body, [
        { id: body.id, documentType: 'ORDER', notificationType: 'ORDER_SHIPPED', overrideContactInfo: [JANE] },
      ]);
    });

    it('200 for an array, in its order', async () => {
      const bodies = [await aboutOrder(), await aboutOrder({ notificationType: 'ORDER_PACKED' }), await aboutOrder()];
      const answer = await shop.send(bodies);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, bodies);
    });

    it('without an override the array is empty', async () => {
      for (const none of [undefined, []]) {
        const answer = await shop.send(await aboutOrder({ overrideContactInfo: none }));
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(answer.body[0].overrideContactInfo, []);
      }
    });

    it('null is no override: the client may have lost the one it meant', async () => {
      assert.equal((await shop.send(await aboutOrder({ overrideContactInfo: null }))).status, 400);
    });

    it('what is null in a contact is left out', async () => {
      const override = [{ name: { first: 'A', middle: null, last: '' }, email: 'a@example.com', phone: null }];
      const answer = await shop.send(await aboutOrder({ overrideContactInfo: override }));
      assert.deepEqual(answer.body[0].overrideContactInfo, [
        { name: { first: 'A', last: '' }, email: 'a@example.com' },
      ]);
    });
  });

  describe('"emits notification events to the webhook service"', () => {
    it('the event is named by notificationType, its source is OMS', async () => {
      const body = await aboutOrder({ notificationType: 'ORDER_READY:STORE.7' });
      await shop.send(body);
      const [told] = await tellings();
      assert.equal(told?.event, 'ORDER_READY:STORE.7');
      assert.equal(told?.source, 'OMS');
      assert.equal(told?.orderNumber, body.id);
    });

    it('a name of an event that Longshore emits itself is refused', async () => {
      const { status, headers } = await shop.send(await aboutOrder({ notificationType: 'WEBHOOK_DISABLED' }));
      assert.equal(status, 400);
      assert.match(headers.get('x-error-detail') ?? '', /WEBHOOK_DISABLED is reserved/);
      assert.deepEqual(await tellings(), []);
    });

    it('"Contact details that replace the default ones": it carries the override and not the document\'s', async () => {
      const body = await aboutOrder();
      await shop.send(body);
      const [told] = await tellings();
      assert.deepEqual(told?.payload, {
        id: body.id,
        documentType: 'ORDER',
        notificationType: 'ORDER_SHIPPED',
        contactInfo: [JANE],
      });
    });

    it("without an override it carries the document's contacts", async () => {
      const body = await aboutOrder({ overrideContactInfo: [] });
      await shop.send(body);
      const [told] = await tellings();
      assert.deepEqual(told?.payload.contactInfo, [JOHN]);
    });

    it('all are emitted or none', async () => {
      const good = await aboutOrder();
      for (const [bad, status] of [
        [await aboutOrder({ id: 'nowhere' }), 404],
        [good, 409],
        [await aboutOrder({ notificationType: 'no name' }), 400],
      ] as const) {
        assert.equal((await shop.send([good, bad])).status, status);
      }
      assert.deepEqual(await tellings(), []);
      assert.equal((await api.db('notification').where({ account_id: shop.account })).length, 0);
      assert.equal((await shop.send(good)).status, 200);
    });
  });

  describe('"Malformed request | A JSON string: Generic Bad Request Response"', () => {
    const id = 'x';
    const whole = { id, notificationType: 'ORDER_SHIPPED', documentType: 'ORDER' };
    const contact = (one: unknown) => ({ ...whole, overrideContactInfo: [one] });
    for (const [what, body, detail] of [
      ['no JSON', '{"id":', /not JSON/],
      ['an empty text', '', /needs a JSON body/],
      ['null', 'null', /./],
      ['a text', '"x"', /./],
      ['an empty array', [], /is empty/],
      ['an array of nothing', [null], /0/],
      ['1,001 notifications', Array(1_001).fill(whole), /at most 1000/],
      ['no id', { ...whole, id: undefined }, /id: is missing/],
      ['an empty id', { ...whole, id: '' }, /id/],
      ['an id that is a number', { ...whole, id: 7 }, /id: must be a text, not the number 7/],
      ['an id of 256 characters', { ...whole, id: 'x'.repeat(256) }, /id/],
      ['an id with a NUL', { ...whole, id: 'a\u0000' }, /NUL/],
      ['an id with half a surrogate pair', { ...whole, id: 'a\ud800' }, /surrogate/],
      ['no notificationType', { ...whole, notificationType: undefined }, /notificationType/],
      ['a notificationType that names no event', { ...whole, notificationType: 'order shipped' }, /notificationType/],
      ['no documentType', { ...whole, documentType: undefined }, /documentType/],
      ['an unknown documentType', { ...whole, documentType: 'PARCEL' }, /documentType.*ORDER/],
      ['an unknown field', { ...whole, overrideContact: [] }, /overrideContact/],
      ['contacts that are no array', { ...whole, overrideContactInfo: JANE }, /overrideContactInfo/],
      ['101 contacts', { ...whole, overrideContactInfo: Array(101).fill(JANE) }, /overrideContactInfo/],
      ['a contact that is a text', contact('jane@example.com'), /overrideContactInfo.0/],
      ['a contact nobody can reach', contact({ name: { first: 'Jane' } }), /neither an email nor a phone/],
      ['a contact with an unknown field', contact({ ...JANE, fax: '1' }), /fax/],
      ['an e-mail that is none', contact({ email: 'jane(at)example.com' }), /email: is not an e-mail address/],
      ['an empty e-mail', contact({ email: '' }), /email/],
      ['a phone without a number', contact({ phone: { type: 'MOBILE' } }), /phone.number/],
      ['a phone number that is not digits', contact({ phone: { number: '+49 151' } }), /phone.number: .*digits/],
      ['a phone type beyond MOBILE, HOME, BUSINESS', contact({ phone: { number: '1', type: 'FAX' } }), /phone.type/],
      ['a name that is a text', contact({ ...JANE, name: 'Jane' }), /name/],
    ] as const) {
      it(`${what}: 400, and a header says what is wrong`, async () => {
        const answer = await shop.send(body);
        assert.equal(answer.status, 400, answer.text);
        assert.equal(answer.text, '"Generic Bad Request Response"');
        assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
        assert.match(answer.headers.get('x-error-detail') ?? '', detail);
      });
    }

    it('a body over 1 MiB is 413', async () => {
      const answer = await shop.send({ ...whole, id: 'x'.repeat(1_048_576) });
      assert.deepEqual([answer.status, answer.text], [413, '"Payload Too Large"']);
    });

    it('takes phone types MOBILE, HOME and BUSINESS, and none', async () => {
      for (const type of ['MOBILE', 'HOME', 'BUSINESS', undefined]) {
        const body = await aboutOrder({ overrideContactInfo: [{ phone: { number: '0', ...(type && { type }) } }] });
        const answer = await shop.send(body);
        assert.deepEqual([answer.status, answer.body], [200, [body]]);
      }
    });

    it('takes every type of document', async () => {
      for (const documentType of ['ORDER', 'SHIPMENT', 'ALLOCATION', 'INVOICE', 'INVENTORY', 'LOCATION', 'TRANSFER']) {
        await shop.register({ documentType, id: 'same' });
        const answer = await shop.send({ id: 'same', documentType, notificationType: 'READY' });
        assert.equal(answer.body[0]?.documentType, documentType, answer.text);
      }
    });
  });

  describe('"Entity missing | A JSON string: Entity with Id <id> doesn\'t exist"', () => {
    it('404 for a document that is not registered', async () => {
      const answer = await shop.send(await aboutOrder({ id: 'A-1 "ß"' }));
      assert.equal(answer.status, 404);
      assert.equal(answer.text, JSON.stringify('Entity with Id A-1 "ß" doesn\'t exist'));
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    });

    it('404 for a document of another type, of another account, of another stage; the first of several is named', async () => {
      const known = await aboutOrder();
      const stranger = await newMerchant(api);
      const missing = [404, `Entity with Id ${known.id} doesn't exist`];
      for (const answer of [
        await shop.send({ ...known, documentType: 'INVOICE' }),
        await stranger.send(known),
        await shop.send(known, { 'x-site-context': shop.context({ stage: 'test' }) }),
        await shop.send([
          { ...known, documentType: 'INVOICE' },
          { ...known, id: 'another' },
        ]),
      ]) {
        assert.deepEqual([answer.status, answer.body], missing);
      }
    });
  });

  describe('"Duplicate entity | A JSON string: Conflict with duplicated entity"', () => {
    const duplicate = [409, '"Conflict with duplicated entity"'];

    it('409 for the same id, documentType, notificationType and contacts within 24 h', async () => {
      const body = await aboutOrder();
      assert.equal((await shop.send(body)).status, 200);
      const again = await shop.send(body);
      assert.deepEqual([again.status, again.text], duplicate);
      assert.match(again.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal((await tellings()).length, 1);
    });

    it('409 for one that stands twice in a request', async () => {
      const body = await aboutOrder();
      const answer = await shop.send([body, await aboutOrder(), body]);
      assert.deepEqual([answer.status, answer.text], duplicate);
      assert.match(answer.headers.get('x-error-detail') ?? '', /notifications 0 and 2/);
    });

    it('is the same to whichever order the contacts come in, and whether they are the override or the default', async () => {
      const body = await aboutOrder({ overrideContactInfo: [JANE, JOHN] });
      assert.equal((await shop.send(body)).status, 200);
      const shouted = { ...JANE, email: JANE.email.toUpperCase() };
      assert.equal((await shop.send({ ...body, overrideContactInfo: [JOHN, shouted] })).status, 409);
      assert.equal((await shop.send({ ...body, overrideContactInfo: [JOHN] })).status, 200);
      assert.equal((await shop.send({ ...body, overrideContactInfo: [] })).status, 409);
    });

    it('another contact, type, document, stage or channel is another notification', async () => {
      const body = await aboutOrder();
      const [elsewhere, other] = [{ stage: 'test' }, await aboutOrder()];
      await shop.call('POST', '/api/v2/document', {
        body: { documentType: 'ORDER', id: body.id },
        headers: { 'x-site-context': shop.context(elsewhere) },
      });
      for (const [one, headers] of [
        [body, {}],
        [{ ...body, overrideContactInfo: [JANE, JOHN] }, {}],
        [{ ...body, notificationType: 'ORDER_PACKED' }, {}],
        [other, {}],
        [body, { 'x-site-context': shop.context(elsewhere) }],
        [body, { 'x-site-context': shop.context({ channel: 12 }) }],
      ] as const) {
        const answer = await shop.send(one, headers);
        assert.equal(answer.status, 200, answer.text);
      }
    });

    it('after 24 h it is sent again, and then is a duplicate for another 24 h', async () => {
      const body = await aboutOrder();
      const age = (hours: number) =>
        api
          .db('notification')
          .where({ account_id: shop.account })
          .update({ created_at: api.db.raw("now() - ? * interval '1 hour'", [hours]) });
      await shop.send(body);
      await age(23.9);
      assert.equal((await shop.send(body)).status, 409);
      await age(24.1);
      assert.equal((await shop.send(body)).status, 200);
      assert.equal((await shop.send(body)).status, 409);
      assert.equal((await tellings()).length, 2);
    });
  });

  it('"Server failure | A JSON object with message: Internal Server Error"', async () => {
    const body = await aboutOrder();
    await api.db.raw('ALTER TABLE notification ADD CONSTRAINT broken_ck CHECK (false) NOT VALID');
    try {
      const answer = await shop.send(body);
      assert.equal(answer.status, 500);
      assert.equal(answer.text, '{"message":"Internal Server Error"}');
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    } finally {
      await api.db.raw('ALTER TABLE notification DROP CONSTRAINT broken_ck');
    }
    assert.deepEqual(await tellings(), [], 'nothing was sent');
    assert.equal((await shop.send(body)).status, 200);
  });

  describe('what is left to the channel', () => {
    it("goes into the event: the request's, else the document's", async () => {
      const tagged = { 'x-site-context': shop.context({ channel: 7 }) };
      await shop.call('POST', '/api/v2/document', { body: { documentType: 'ORDER', id: 'of 7' }, headers: tagged });
      const about = { id: 'of 7', documentType: 'ORDER' };
      await shop.send({ ...about, notificationType: 'A' }, tagged);
      await shop.send({ ...about, notificationType: 'B' });
      await shop.send({ ...(await aboutOrder()), notificationType: 'C' }, tagged);
      await shop.send({ ...(await aboutOrder()), notificationType: 'D' });
      const channels = (await tellings()).map(({ event, channel }) => `${event} ${channel}`);
      assert.deepEqual(channels.sort(), ['A 7', 'B 7', 'C 7', 'D null']);
    });

    it("does not show a channel's documents to another", async () => {
      const headers = (channel: number) => ({ 'x-site-context': shop.context({ channel }) });
      await shop.call('POST', '/api/v2/document', {
        body: { documentType: 'ORDER', id: 'seven' },
        headers: headers(7),
      });
      const body = { id: 'seven', documentType: 'ORDER', notificationType: 'A' };
      assert.equal((await shop.send(body, headers(8))).status, 404);
      assert.equal((await shop.send(body, headers(7))).status, 200);
    });
  });

  describe('the rest of its family', () => {
    it('an unknown address and another method are told in JSON strings', async () => {
      const unknown = await shop.call('POST', '/api/v2/notification/none', { body: {} });
      assert.deepEqual([unknown.status, typeof unknown.body], [404, 'string']);
      const method = await shop.call('GET', SEND);
      assert.deepEqual([method.status, method.body], [405, 'Method Not Allowed']);
      assert.equal(method.headers.get('allow'), 'POST');
    });

    it('an Idempotency-Key gives the first answer again, to the letter, and is refused for another request', async () => {
      const key = { 'idempotency-key': 'n-1' };
      const body = [await aboutOrder(), await aboutOrder({ overrideContactInfo: [JOHN, JANE] })];
      const first = await shop.send(body, key);
      assert.equal(first.status, 200);
      const again = await shop.send(body, key);
      assert.deepEqual([again.status, again.text], [200, first.text]);
      assert.equal((await tellings()).length, 2);
      const other = await shop.send(body[0], key);
      assert.deepEqual([other.status, other.text], [422, '"Unprocessable Entity"']);
      assert.equal((await shop.send(body, { 'idempotency-key': 'ß'.repeat(3) })).status, 400);
    });
  });
});
