/** Quotas of an account: what exceeds one is refused, whichever process is asked, and others notice nothing. */
import assert from 'node:assert/strict';
import { answerCommand } from '../../../src/admin/answer-command.js';
import { createQuotaKeeper } from '../../../src/domain/access/quota-keeper.js';
import { DomainError } from '../../../src/domain/kernel/errors.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('quotas of an account', function () {
  this.timeout(30_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  const run = async (args: readonly string[]) => {
    const environment = { DATABASE_URL: world.api.services.config.databaseUrl };
    const { code, stdout, stderr } = await answerCommand([...args, '--json'], environment);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  /** Sets quotas as an operator does, before the account sends its first request. */
  const limit = (...options: string[]) => run(['account', 'limit', '--account', shop.account, ...options]);
  const refused = (answer: Answer, name: string) => {
    assert.equal(answer.status, 429, answer.text);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`^"${name}";r=0;t=\\d+$`));
  };
  const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ sku: `s${i}` }));
  const WITHOUT_WAIT = { headers: { prefer: 'respond-async' } };

  it('limit its requests in a minute, and say what is left', async () => {
    await limit('--requests', '3');
    const other = await world.newShop();
    const answers = [];
    // More than two minutes hold, so that a minute that ends meanwhile changes nothing.
    for (let nth = 0; nth < 7; nth++) answers.push(await shop.get('/jobs/product'));
    const allowed = answers.filter(({ status }) => status === 200);
    assert.ok(allowed.length >= 3 && allowed.length <= 6, answers.map(({ status }) => status).join());
    assert.equal(allowed[0]?.headers.get('ratelimit-policy'), '"requests";q=3;w=60');
    assert.match(allowed[0]?.headers.get('ratelimit') ?? '', /^"requests";r=2;t=\d+$/);
    refused(answers.at(-1) as Answer, 'requests');
    assert.match(answers.at(-1)?.text ?? '', /may send 3 requests in a minute/);
    assert.equal((await other.get('/jobs/product')).headers.get('ratelimit'), null);
  });

  it('hold over all processes', async () => {
    const keepers = [createQuotaKeeper(world.db), createQuotaKeeper(world.db), createQuotaKeeper(world.db)];
    const { rows: minutes } = await world.db.raw("SELECT date_trunc('minute', now()) AS minute");
    let granted = 0;
    await Promise.all(
      Array.from({ length: 240 }, async (_, nth) => {
        try {
          await keepers[nth % 3]?.spendRequest(shop.account, 100);
          granted++;
        } catch (error) {
          assert.ok(error instanceof DomainError && error.code === 'QUOTA_OF_REQUESTS', String(error));
        }
      }),
    );
    const { rows: now } = await world.db.raw("SELECT date_trunc('minute', now()) AS minute");
    const ended = minutes[0].minute.getTime() !== now[0].minute.getTime();
    assert.ok(ended ? granted <= 200 : granted === 100, `${granted}`);
  });

  it('do not count a request that is answered again', async () => {
    await limit('--requests', '2');
    const key = { headers: { 'idempotency-key': 'again', prefer: 'respond-async' } };
    const first = await shop.bulk('upsert', rows(1), key);
    for (let nth = 0; nth < 8; nth++) assert.equal((await shop.bulk('upsert', rows(1), key)).text, first.text);
  });

  it('limit the rows of its jobs that have not ended', async () => {
    await limit('--rows', '10');
    const jobs = [];
    for (const count of [6, 4]) jobs.push(await shop.bulk('upsert', rows(count), WITHOUT_WAIT));
    assert.deepEqual(
      jobs.map(({ status }) => status),
      [202, 202],
    );
    const more = await shop.bulk('upsert', rows(1), WITHOUT_WAIT);
    refused(more, 'rows');
    assert.match(more.body.message, /may have 10 rows in jobs that have not ended, and has 10; this request has 1/);
    refused(await shop.post('/files/product', { fileName: 'a.csv', fileType: 'ITEM_IMPORT' }), 'rows');
    for (const { body } of jobs) await shop.ask('POST', `/jobs/${body.jobId}/actions/cancel`);
    // Another process reads what is used now.
    await createQuotaKeeper(world.db).requireRows(shop.account, { rows: 10 }, 10);
  });

  it('limit its open uploads, its stored bytes and its stages', async () => {
    const announce = () => shop.post('/files/product', { fileName: 'a.csv', fileType: 'ITEM_IMPORT' });
    await limit('--uploads', '1', '--bytes', '20', '--stages', '1');
    const first = await announce();
    assert.equal(first.status, 200, first.text);
    refused(await announce(), 'uploads');
    refused(await shop.post('/files/product', {}, { context: { stage: 'other' } }), 'stages');
    const put = (body: string) => fetch(first.body.location, { method: 'PUT', body });
    const tooLarge = await put('SKU\nabcdefghijklmnop\n');
    assert.deepEqual([tooLarge.status, tooLarge.headers.get('ratelimit')], [429, '"bytes";r=0;t=300']);
    assert.match(await tooLarge.text(), /may have 20 bytes in the file store, and has 0; this file needs 21/);
    assert.equal((await put('SKU\nabcdefghijklmno\n')).status, 200);
    await assert.rejects(createQuotaKeeper(world.db).requireBytes(shop.account, { bytes: 20 }, 0), /and has 20;/);
  });

  it('are set, shown and removed by an operator, and recorded', async () => {
    const set = await limit('--requests', '60', '--rows', '5');
    const shown = {
      ...{ accountId: shop.account, requests: 60, rows: 5, bytes: 'none', uploads: 'none', stages: 'none' },
      ...{ rowsUsed: 0, bytesUsed: 0, uploadsUsed: 0, stagesUsed: 1 },
    };
    assert.deepEqual({ ...set, stagesUsed: 1 }, shown);
    await limit('--rows', 'none');
    assert.deepEqual(
      { ...(await run(['account', 'quotas', '--account', shop.account])), stagesUsed: 1 },
      { ...shown, rows: 'none' },
    );
    const entries = await world.db('audit_entry').where({ action: 'ACCOUNT_QUOTAS_CHANGED', account_id: shop.account });
    assert.deepEqual(entries.map(({ target }) => target).sort(), [
      'quotas/requests=60,rows=5,bytes=none,uploads=none,stages=none',
      'quotas/requests=60,rows=none,bytes=none,uploads=none,stages=none',
    ]);
    for (const options of [['--rows', 'x'], []])
      await assert.rejects(async () => limit(...options), /account limit|--rows must/);
    await limit('--requests', 'none');
    const { quotas } = await world.db('account').where({ id: shop.account }).first('quotas');
    assert.equal(quotas, null);
  });
});
