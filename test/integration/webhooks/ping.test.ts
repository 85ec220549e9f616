/** The test call of a definition: made by the API at once, past the queue. */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('POST /api/v2/webhook/{webhookId}/actions/test', function () {
  this.timeout(30_000);
  let world: World;
  let shop: Shop;
  let receiver: Server;
  let url: string;
  let status = 200;
  let received: { method: string; headers: IncomingHttpHeaders; body: string }[] = [];
  before(async () => {
    world = await startWorld();
    shop = await world.newShop();
    receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = '', headers } = request;
      received.push({ method, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(status).end('thanks');
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  });
  beforeEach(() => {
    received = [];
    status = 200;
  });
  after(async () => {
    await world.stop();
    receiver.closeAllConnections();
    receiver.close();
  });

  const define = (over = {}) => shop.ask('POST', '/api/v2/webhook', { body: webhookBody(over) });
  const ping = (id: string) => shop.ask('POST', `/api/v2/webhook/${id}/actions/test`);

  it('sends a signed PING at once; after a rotation both secrets verify it', async () => {
    const fields = { target: url, requestType: 'PUT', format: 'application/cloudevents+json', apiVersion: 'v3' };
    const definition = await define({ ...fields, targetApiKey: 'key-of-the-target-abcd' });
    const { delivered, statusCode, durationMs, error, response } = await ping(definition.webhookId);
    assert.deepEqual([delivered, statusCode, typeof durationMs, error], [true, 200, 'number', undefined]);
    assert.equal(response, 'thanks');
    const [request] = received;
    assert.ok(request !== undefined);
    assert.deepEqual(
      [request.method, request.headers['content-type'], request.headers['x-api-key']],
      ['PUT', 'application/cloudevents+json', 'key-of-the-target-abcd'],
    );
    const { event, source, tenantId, apiVersion, payload } = JSON.parse(request.body);
    assert.deepEqual(
      { event, source, tenantId, apiVersion, payload },
      {
        event: 'PING',
        source: 'OMS',
        tenantId: shop.account,
        apiVersion: 'v3',
        payload: { webhookId: definition.webhookId },
      },
    );
    const verify = (secret: string, { body, headers }: typeof request) =>
      new Webhook(secret).verify(body, headers as Record<string, string>);
    verify(definition.signingSecret, request);
    const rotated = await shop.ask('POST', `/api/v2/webhook/${definition.webhookId}/actions/rotate-secret`);
    await ping(definition.webhookId);
    for (const secret of [definition.signingSecret, rotated.signingSecret]) verify(secret, received[1] ?? request);
    assert.throws(() => verify(rotated.signingSecret, request));
    assert.deepEqual(await world.db('event').where({ site_id: shop.siteId }), [], 'nothing of it is kept');
  });

  it('answers 200 with what is wrong: another status, nobody there, a target that may not be called', async () => {
    status = 503;
    const { webhookId } = await define({ target: `${url}/busy` });
    const { delivered, statusCode, error } = await ping(webhookId);
    assert.deepEqual([delivered, statusCode, error], [false, 503, 'the target answered 503']);
    const nobody = await ping((await define()).webhookId);
    assert.deepEqual([nobody.delivered, 'statusCode' in nobody], [false, false]);
    assert.ok(nobody.error.length > 0);
    await world.db('webhook_definition').where({ id: webhookId }).update({ target: 'http://169.254.169.254/' });
    const blocked = await ping(webhookId);
    assert.equal(blocked.delivered, false);
    assert.match(blocked.error, /^blocked address/);
    assert.equal((await shop.call('POST', '/api/v2/webhook/x/actions/test')).status, 404);
  });
});
