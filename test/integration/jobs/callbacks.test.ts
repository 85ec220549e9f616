/** callbackUrl of a job, whatever made it: called once it has ended, signed with the account's own secret. */
import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { callbackSecrets, rotateCallbackSecret } from '../../../src/domain/access/callback-secret.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { type Received, type Receiver, startReceiver } from '../../support/http/receiver.js';
import { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CSV = 'Category Node,SKU,Title\nShelf,B,Two\nNowhere,C,Three\n';
const ROWS = [{ sku: 'A', nodeName: 'Shelf', attributes: { Title: 'One' } }];
const WITHIN_MS = 30_000;

describe("a job's callbackUrl", function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let receiver: Receiver;
  /** What is answered to the next calls; 204 when there is nothing left. */
  const answers: number[] = [];

  before(async () => {
    receiver = await startReceiver((response) => response.writeHead(answers.shift() ?? 204).end());
    const environment = { WEBHOOK_SCHEDULE_SECONDS: '0,0.05,0.1' };
    world = await startWorld({ environment });
    await world.startWorkers({}, ['bulk', 'export', 'webhook']);
  });
  beforeEach(async () => {
    receiver.received.length = 0;
    shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title!'] } });
  });
  after(async () => {
    await world?.stop();
    await receiver?.stop();
  });

  const callbackUrl = (name: string) => `${receiver.url}/${name}?for=us`;
  const queryOf = (name: string) => `callbackUrl=${encodeURIComponent(callbackUrl(name))}`;
  const secrets = () => callbackSecrets(world.db, world.services.config.secretsKeys, shop.account);

  async function calledAt(name: string, times = 1): Promise<Received[]> {
    const found = () => receiver.received.filter(({ path }) => path === `/${name}?for=us`);
    await until(`${times} calls of ${name}`, () => found().length >= times, WITHIN_MS);
    return found();
  }

  /** The body of a call, if its signature is that of a secret. @throws WebhookVerificationError */
  const verified = ({ body, headers }: Received, secret: string) =>
    new Webhook(secret).verify(body, headers) as { event: string; payload: Record<string, unknown> };

  it('is called for whatever makes a job: rows, a file, attributes, categories, a deletion, an export', async () => {
    const accepted = async (path: string, body: unknown) => {
      const answer = await shop.call('POST', path, { body });
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      return answer.body;
    };
    const jobs = {
      rows: (await shop.bulk('insert', ROWS, { query: queryOf('rows') })).body,
      file: await shop.ask('POST', '/files/product', {
        body: { fileName: 'a.csv', fileType: 'ITEM_IMPORT', options: { callbackUrl: callbackUrl('file') } },
      }),
      attributes: await accepted(`/api-product/v1/product/attribute/bulk?${queryOf('attributes')}`, [
        { name: 'Colour', type: 'TEXT' },
      ]),
      categories: await accepted(`/api-category/v1/category/bulk/upsert?${queryOf('categories')}`, [
        { name: 'Drawer' },
      ]),
      deletion: await accepted(`/api-product/v1/product/bulk/delete?${queryOf('deletion')}`, { skus: ['A'] }),
      export: await accepted('/jobs/product/actions/filter-export', { callbackUrl: callbackUrl('export') }),
    };
    await shop.put(jobs.file, CSV);
    const [secret = ''] = await secrets();
    for (const [name, { jobId }] of Object.entries(jobs)) {
      const [call = assert.fail(name)] = await calledAt(name);
      assert.equal(call.method, 'POST');
      assert.match(call.headers['content-type'] ?? '', /^application\/json/);
      const { event, payload } = verified(call, secret);
      assert.deepEqual([event, payload.jobId], ['JOB_COMPLETED', jobId]);
      // Only the API reads these five.
      const read = await shop.ask('GET', `/jobs/${jobId}`);
      const { outcome: _, inputFileName, submittedBy, decision, request, ...job } = read;
      assert.deepEqual(request, name === 'export' ? { match: {} } : undefined);
      assert.equal(inputFileName, name === 'file' ? 'a.csv' : null);
      assert.deepEqual([submittedBy.name, decision], ['test', null]);
      assert.deepEqual(payload, { jobId, ...job });
    }
  });

  it('is called when the job waits for an approval, and again when it has ended', async () => {
    await shop.bulk('insert', ROWS);
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'other' });
    const other = new Shop(world.api, shop.account, token, shop.siteId);
    const { jobId: written } = (
      await shop.post('/api-product/v1/product/bulk/upsert', [{ sku: 'A', attributes: { Title: 'Two' } }])
    ).body;
    await shop.outcome(written);
    const rows = [{ sku: 'A', attributes: { Title: 'Three' } }];
    const jobs = {
      rows: (await shop.bulk('update', rows, { query: `${queryOf('rows')}&requireApproval=true` })).body,
      revert: (
        await shop.post(`/jobs/${written}/actions/revert`, {
          requireApproval: true,
          callbackUrl: callbackUrl('revert'),
        })
      ).body,
    };
    const [secret = ''] = await secrets();
    for (const [name, { jobId }] of Object.entries(jobs)) {
      const [call = assert.fail(name)] = await calledAt(name);
      const { event, payload } = verified(call, secret);
      const { status, changesUrl, completedAt } = payload;
      assert.deepEqual([event, payload.jobId, status], ['JOB_AWAITING_APPROVAL', jobId, 'AWAITING_APPROVAL']);
      assert.deepEqual([changesUrl, completedAt], [`/jobs/${jobId}/changes`, null]);
      const path = `/jobs/${jobId}/actions/${name === 'revert' ? 'approve' : 'reject'}`;
      assert.ok((await other.post(path, {})).status < 300);
      const [, last = assert.fail(name)] = await calledAt(name, 2);
      assert.deepEqual(verified(last, secret).event, name === 'revert' ? 'JOB_COMPLETED' : 'JOB_FAILED');
    }
  });

  it('hears of a job that ends badly as JOB_FAILED', async () => {
    const announced = await shop.ask('POST', '/files/product', {
      body: { fileName: 'a.csv', fileType: 'ITEM_IMPORT', callbackUrl: callbackUrl('bad') },
    });
    await shop.put(announced, 'no,such,columns\n1,2,3\n');
    const [call = assert.fail()] = await calledAt('bad');
    const { event, payload } = verified(call, (await secrets())[0] ?? '');
    assert.deepEqual([event, payload.jobId, payload.status], ['JOB_FAILED', announced.jobId, 'REJECTED']);
  });

  it('is called again until it answers 2xx, and no more then', async () => {
    answers.push(500, 503);
    await shop.bulk('insert', ROWS, { query: queryOf('again') });
    const made = await calledAt('again', 3);
    assert.equal(new Set(made.map(({ headers }) => headers['webhook-id'])).size, 1, 'one event');
    const ended = () =>
      world
        .db('delivery')
        .where({ callback_url: callbackUrl('again') })
        .first();
    await until('it is delivered', async () => (await ended()).status === 'DELIVERED', WITHIN_MS);
    assert.equal((await calledAt('again')).length, 3);
  });

  it('is signed with the old and the new secret while the secret is replaced', async () => {
    const [before = ''] = await secrets();
    const next = await rotateCallbackSecret(world.db, world.services.config.secretsKeys, shop.account);
    await shop.bulk('insert', ROWS, { query: queryOf('rotated') });
    const [call = assert.fail()] = await calledAt('rotated');
    for (const secret of [before, next]) assert.equal(verified(call, secret).event, 'JOB_COMPLETED');
    const stranger = await world.newShop();
    const [foreign = ''] = await callbackSecrets(world.db, world.services.config.secretsKeys, stranger.account);
    assert.throws(() => verified(call, foreign), /No matching signature/);
  });

  it('is refused with a reason where it must not be called, whatever makes the job', async () => {
    for (const url of ['http://10.0.0.1/', 'http://169.254.169.254/', 'file:///etc/passwd', 'x']) {
      const query = `?callbackUrl=${encodeURIComponent(url)}`;
      for (const answer of [
        await shop.call('POST', `/api-product/v1/product/bulk/insert${query}`, { body: ROWS }),
        await shop.call('POST', `/api-product/v1/product/attribute/bulk${query}`, { body: [{ name: 'X' }] }),
        await shop.call('POST', `/api-category/v1/category/bulk/upsert${query}`, { body: [{ name: 'X' }] }),
        await shop.call('POST', `/api-product/v1/product/bulk/delete${query}`, { body: { skus: ['A'] } }),
        await shop.call('POST', '/jobs/product/actions/filter-export', { body: { callbackUrl: url } }),
        await shop.call('POST', '/files/product', {
          body: { fileName: 'a.csv', fileType: 'ITEM_IMPORT', callbackUrl: url },
        }),
      ]) {
        assert.equal(answer.status, 400, url);
        assert.match(answer.body.message, /callbackUrl: (blocked address|expected an address)/);
      }
    }
  });
});
