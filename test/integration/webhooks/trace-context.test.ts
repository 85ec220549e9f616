/** Without a collector, the trace context of a client goes with its jobs and events all the same. */
import assert from 'node:assert/strict';
import { type Receiver, startReceiver } from '../../support/http/receiver.js';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const SENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('the trace context of a request', function () {
  this.timeout(30_000);
  let world: World;
  let shop: Shop;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    world = await startWorld({ workers: true });
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    for (const source of ['CATALOG', 'OMS']) {
      const body = webhookBody({ target: `${receiver.url}/hook`, source, events: ['*'] });
      await shop.ask('POST', '/api/v2/webhook', { body });
    }
  });
  after(async () => {
    await world?.stop();
    await receiver?.stop();
  });

  /** What the receiver gets of an event. */
  async function headersOf(isIt: (body: { event: string; payload: Record<string, unknown> }) => boolean) {
    const found = () => receiver.received.find(({ body }) => isIt(JSON.parse(body)));
    await until('the event is received', () => found() !== undefined, 20_000);
    return found()?.headers;
  }
  const emit = (number: number, traceparent?: string) =>
    shop.post(
      '/api/v2/event',
      { source: 'OMS', event: 'ORDER_CREATED', payload: { number } },
      { headers: { 'tenant-key': shop.account, ...(traceparent === undefined ? {} : { traceparent }) } },
    );

  it('is sent along with the events of the request', async () => {
    assert.equal((await emit(1, SENT)).status, 202);
    assert.equal((await headersOf(({ payload }) => payload.number === 1))?.traceparent, SENT);
  });

  it('is sent along with what its job does, also when that job came as a file', async () => {
    const rows = [{ sku: 'a', nodeName: 'Disk' }];
    assert.equal((await shop.bulk('upsert', rows, { headers: { traceparent: SENT } })).status, 200);
    const options = { fileName: 'x.csv', fileType: 'ITEM_IMPORT' };
    const announced = await shop.ask('POST', '/files/product', {
      body: options,
      headers: { traceparent: SENT },
    });
    const { jobId } = announced;
    await shop.put(announced, 'SKU,Category Node\nb,Disk\n');
    assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
    const ofFile = await headersOf(({ event, payload }) => event === 'JOB_COMPLETED' && payload.jobId === jobId);
    const ofRequest = await headersOf(({ event, payload }) => event === 'JOB_COMPLETED' && payload.jobId !== jobId);
    assert.deepEqual([ofFile?.traceparent, ofRequest?.traceparent], [SENT, SENT]);
  });

  it('does not make a repeated request another one', async () => {
    const send = (traceparent: string) =>
      shop.bulk('upsert', [{ sku: 'once', nodeName: 'Disk' }], {
        headers: { traceparent, 'idempotency-key': 'once', prefer: '' },
      });
    const first = await send(SENT);
    const second = await send(SENT.replace('0af7', '1bf7'));
    assert.deepEqual([first.status, second.status], [202, 202]);
    assert.equal(second.body.jobId, first.body.jobId);
  });

  for (const [what, traceparent] of Object.entries({
    'is missing': undefined,
    'is malformed': 'Bearer of news',
    'has an invalid version': `ff${SENT.slice(2)}`,
    'names no trace': `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  })) {
    it(`is not invented when it ${what}`, async () => {
      const number = what.length + 1_000;
      assert.equal((await emit(number, traceparent)).status, 202);
      const headers = await headersOf(({ payload }) => payload.number === number);
      assert.ok(headers !== undefined && !('traceparent' in headers));
    });
  }
});
