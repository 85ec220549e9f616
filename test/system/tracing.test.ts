/** A trace goes from a client's request through queues and workers to the receiver of a webhook, and tells no content. */
import assert from 'node:assert/strict';
import { answerWith, type Receiver, startReceiver } from '../support/http/receiver.js';
import type { Shop } from '../support/http/shop.js';
import { webhookBody } from '../support/http/webhook-definition.js';
import { until } from '../support/until.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly process: string | undefined;
}

const WITHIN_MS = 20_000;
const REQUEST = /^POST \/api-product\/v1\/product\/bulk\/upsert$/;
/** Stands in everything that a span must not tell. */
const PLANTED = 'planted';

describe('tracing', function () {
  this.timeout(60_000);
  let collector: Receiver;
  let receiver: Receiver;
  let world: SystemWorld;
  let shop: Shop;
  before(async () => {
    collector = await startReceiver(answerWith(200, { 'content-type': 'application/json' }, '{}'));
    receiver = await startReceiver();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' };
    world = await startSystemWorld({ env });
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    const target = `${receiver.url}/hook?key=${PLANTED}`;
    for (const source of ['CATALOG', 'OMS']) {
      await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ target, source, events: ['*'] }) });
    }
  });
  after(async () => {
    await world?.stop();
    await receiver?.stop();
    await collector?.stop();
  });

  function spans(): SentSpan[] {
    return collector.received.flatMap(({ body }) =>
      JSON.parse(body).resourceSpans.flatMap(
        ({ resource, scopeSpans }: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }) => {
          const named = resource.attributes.find(({ key }) => key === 'longshore.process');
          return scopeSpans.flatMap((scope) =>
            scope.spans.map((span) => ({ ...span, process: named?.value.stringValue })),
          );
        },
      ),
    );
  }

  /** The spans of a trace, once one of each of these names has arrived, and the parents of all. */
  async function traced(traceId: string, parent: string | undefined, names: readonly RegExp[]): Promise<SentSpan[]> {
    const found = () => spans().filter((span) => span.traceId === traceId);
    const missing = (all: readonly SentSpan[]) => {
      const ids = new Set([parent, ...all.map(({ spanId }) => spanId)]);
      const orphans = all.filter(({ parentSpanId = '' }) => parentSpanId !== '' && !ids.has(parentSpanId));
      const unseen = names.filter((name) => !all.some((span) => name.test(span.name)));
      return [...unseen.map(String), ...orphans.map(({ name }) => `the parent of ${name}`)];
    };
    await until(`the spans of ${traceId}`, () => missing(found()).length === 0, WITHIN_MS).catch(() =>
      assert.fail(`missing: ${missing(found()).join(', ')}; found: ${found().map(({ name }) => name)}`),
    );
    return found();
  }

  /** What the receiver got with this trace. */
  async function delivered(traceId: string, event: string): Promise<{ parent: string | undefined }> {
    const found = () =>
      receiver.received.find(
        ({ headers, body }) => headers.traceparent?.includes(traceId) && JSON.parse(body).event === event,
      );
    await until(`${event} of ${traceId} is received`, () => found() !== undefined, WITHIN_MS);
    return { parent: found()?.headers.traceparent?.split('-')[2] };
  }

  /** The span that a receiver continues, once it has arrived. */
  async function sent(spanId: string | undefined): Promise<SentSpan> {
    const found = () => spans().find((span) => span.spanId === spanId);
    await until(`the span ${spanId}`, () => found() !== undefined, WITHIN_MS);
    return found() ?? assert.fail();
  }

  it('leads from the request of a client to the webhook of what it did, through the processes between them', async () => {
    const [trace, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    const rows = [{ sku: `${PLANTED}-1`, nodeName: 'Disk', attributes: { Title: PLANTED } }];
    const headers = { traceparent: `00-${trace}-${parent}-01` };
    assert.equal((await shop.bulk('upsert', rows, { headers })).status, 200);
    const received = await delivered(trace, 'JOB_COMPLETED');
    const found = await traced(trace, parent, [REQUEST, /^step plan-/, /^process deliver-batch$/, /^webhook$/]);
    const root = found.find(({ name }) => REQUEST.test(name));
    assert.deepEqual([root?.parentSpanId, root?.process], [parent, 'api']);
    const { name, process } = await sent(received.parent);
    assert.deepEqual([name, process], ['webhook', 'worker'], 'the receiver continues the span of its request');
  });

  it('are kept apart for requests that are accepted and executed together', async () => {
    const traces = Array.from({ length: 8 }, (_, index) => `${index + 1}`.repeat(32));
    const answers = traces.map((trace, index) =>
      shop.bulk('upsert', [{ sku: `together-${index}`, nodeName: 'Disk' }], {
        headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
      }),
    );
    for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
    for (const trace of traces) {
      const received = await delivered(trace, 'JOB_COMPLETED');
      await traced(trace, '00f067aa0ba902b7', [REQUEST, /^webhook$/]);
      assert.equal((await sent(received.parent)).traceId, trace);
    }
  });

  it('begin with us when the client has none, or sends a malformed one', async () => {
    for (const [number, traceparent] of [undefined, `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`].entries()) {
      const body = { source: 'OMS', event: 'ORDER_CREATED', payload: { number, secret: PLANTED } };
      const headers = { 'tenant-key': shop.account, ...(traceparent === undefined ? {} : { traceparent }) };
      assert.equal((await shop.post('/api/v2/event', body, { headers })).status, 202);
      const found = () =>
        receiver.received.find(({ body }) => {
          const { event, payload } = JSON.parse(body);
          return event === 'ORDER_CREATED' && payload.number === number;
        });
      await until('the event is received', () => found() !== undefined, WITHIN_MS);
      const [, trace = ''] = found()?.headers.traceparent?.split('-') ?? [];
      assert.match(trace, /^(?!0{32})[0-9a-f]{32}$/);
      await traced(trace, undefined, [/^POST \/api\/v2\/event$/, /^webhook$/]);
    }
  });

  it('tell ids, routes and outcomes, and nothing of what is in rows, payloads, headers and addresses', async () => {
    const job = await shop.upload(`${PLANTED}.csv`, `SKU,Category Node,Title\n${PLANTED},Nowhere,${PLANTED}\n`);
    await shop.get(`/api-product/v1/product/${PLANTED}`);
    await shop.outcome(job);
    const isTold = ({ attributes }: SentSpan) => attributes.some(({ value }) => value.stringValue === job);
    await until('the steps of the job are told', () => spans().some(isTold), WITHIN_MS);
    await until('the request is told', () => spans().some(({ name }) => name.endsWith('/product/:sku')), WITHIN_MS);
    const everything = collector.received.map(({ path, body, headers }) => path + body + JSON.stringify(headers));
    for (const text of everything) {
      assert.doesNotMatch(text, new RegExp(PLANTED));
      assert.ok(!text.includes(shop.token));
    }
    const housekeeping = spans().filter(({ name }) => /getNextJob|moveStalled|StalledCheck|healthz|readyz/.test(name));
    assert.deepEqual(housekeeping, []);
  });
});
