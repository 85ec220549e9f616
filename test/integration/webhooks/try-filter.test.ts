/** A filter is tried on stored events before it is saved: what it says is what the next such event gets. */
import assert from 'node:assert/strict';
import { callApi } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const TRY = '/api/v2/webhook/actions/try-filter';
/** Numbers keep all their digits; the last one is too long for the database to compare, and passes. */
const PAYLOADS = [
  '{"status":"PAID","total":12345678901234567890}',
  '{"status":"PAID","total":12345678901234567891}',
  '{"status":"OPEN","total":1.10,"tags":["gift"]}',
  '{"total":null}',
  '[]',
  '{"status":1e200000}',
];
const FILTERS = [
  '{"path":"/status","equals":"PAID"}',
  '{"path":"/total","equals":12345678901234567890}',
  '{"path":"/total","in":[1.1,null]}',
  '{"any":[{"path":"/tags","contains":"gift"},{"path":"/status","exists":false}]}',
];

describe('POST /api/v2/webhook/actions/try-filter', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let ids: string[];
  before(async () => {
    world = await startWorld();
    shop = await world.newShop();
    ids = [];
    for (const payload of PAYLOADS) ids.push((await emit(payload)).eventRequestId);
  });
  after(() => world.stop());

  const emit = async (payload: string) => {
    const body = `{"source":"OMS","event":"ORDER_CREATED","payload":${payload}}`;
    return (await shop.call('POST', '/api/v2/event', { body, headers: { 'tenant-key': shop.account } })).body;
  };
  const tried = (filter: string, eventRequestIds: readonly string[] = ids) =>
    shop.call('POST', TRY, { body: `{"filter":${filter},"eventRequestIds":${JSON.stringify(eventRequestIds)}}` });

  for (const filter of FILTERS) {
    it(`says of ${filter} what becomes of events that are emitted`, async () => {
      const { status, body } = await tried(filter);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(
        body.events.map(({ eventRequestId }: { eventRequestId: string }) => eventRequestId),
        ids,
      );
      const definition = JSON.stringify(webhookBody()).replace(/\}$/, `,"filter":${filter}}`);
      const { webhookId } = await shop.ask('POST', '/api/v2/webhook', { body: definition });
      for (const [nth, payload] of PAYLOADS.entries()) {
        assert.equal((await emit(payload)).deliveries, body.events[nth].passes ? 1 : 0, payload);
      }
      await shop.ask('DELETE', `/api/v2/webhook/${webhookId}`);
    });
  }

  it('passes everything without a filter, and leaves out what is no event of this account', async () => {
    const other = await world.newShop();
    const answer = await tried('null', [String(ids[1]), 'nobody', String(ids[0]), String(ids[1])]);
    assert.deepEqual(answer.body.events, [
      { eventRequestId: ids[1], passes: true },
      { eventRequestId: ids[0], passes: true },
    ]);
    const foreign = await other.post(TRY, { filter: null, eventRequestIds: ids });
    assert.deepEqual([foreign.status, foreign.body], [200, { events: [] }]);
  });

  it('says what is wrong with a filter, and where', async () => {
    const wrong = await tried('{"path":"status","equals":1}');
    assert.equal(wrong.status, 400);
    assert.match(wrong.body.message, /filter\.path: expected a JSON pointer such as \/customer\/country/);
    assert.equal((await tried('null', [])).status, 400);
    assert.equal((await tried('null', Array(21).fill(ids[0]))).status, 400);
    const nobody = await callApi(world.api, 'POST', TRY, {
      headers: {},
      body: { filter: null, eventRequestIds: ids },
    });
    assert.equal(nobody.status, 401);
  });
});
