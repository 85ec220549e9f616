import assert from 'node:assert/strict';
import { routes } from '../../../src/api/routes/index.js';
import { pageAudit, pruneAudit, recordAudit } from '../../../src/domain/access/audit.js';
import { createClient, listClients } from '../../../src/domain/access/clients.js';
import { createToken, listTokens } from '../../../src/domain/access/tokens.js';
import { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

/** Routes that change something, and are not acts of the audit log: rows, events, and what only reads. */
const NOT_AUDITED = new Set([
  // Rows and events, of which there are too many.
  'POST /api-product/v1/product/bulk/insert',
  'POST /api-product/v1/product/bulk/upsert',
  'POST /api-product/v1/product/bulk/update',
  'POST /api-product/v1/product/bulk/delete',
  'POST /api-category/v1/category/item',
  'POST /api/v2/event',
  'POST /api/v2/event/batch',
  'POST /api/v2/document',
  'PUT /api/v2/document/:documentType/:id',
  'POST /api/v2/notification/send',
  // The upload was announced.
  'PUT /uploads/:fileId',
  'POST /files/product/:id/actions/complete',
  // Recorded by the grant itself.
  'POST /oauth2/token',
  // Begins a login, which nobody has yet: its end is recorded.
  'POST /api/v2/session/provider',
  // These read.
  'POST /item-import-templates',
  'POST /bundle-import-templates',
  'POST /attribute-import-templates',
  'POST /category-import-templates',
  'POST /api/v2/webhook/event/query',
  'POST /api/v2/webhook/actions/try-filter',
  'POST /files/product/:id/actions/try-profile',
  'POST /feeds/actions/test',
  // The feed does what it does by itself, and nobody is known who calls it.
  'POST /feed-triggers/:key',
  'POST /api-product/v1/product/search',
  'POST /api-product/v1/product/count',
]);

interface Entry {
  readonly id: number;
  readonly at: string;
  readonly action: string;
  readonly actor: string;
  readonly actorId: string | null;
  readonly address: string | null;
  readonly stage: string | null;
  readonly target: string | null;
  readonly result: string;
  readonly times: number;
}

describe('the audit log', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api.stop());

  async function newShop(): Promise<Shop> {
    const { account, token } = await api.newAccount();
    return new Shop(api, account, token, 0);
  }
  const log = async (shop: Shop, query = ''): Promise<Entry[]> =>
    (await shop.ask('GET', `/api/v2/audit?limit=100${query}`)).data;
  const tokenOf = async ({ account }: Shop) => (await listTokens(api.db, account))[0]?.id;

  it('records every route that changes something, but for rows and events', () => {
    const changing = routes.filter(({ method }) => method !== 'GET');
    const missing = changing.filter(({ audit }) => audit === undefined).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(missing.sort(), [...NOT_AUDITED].sort());
  });

  it('says who did what to what, from where and when', async () => {
    const shop = await newShop();
    const made = (await shop.ask('POST', '/api/v2/webhook', { body: webhookBody() })) as { webhookId: string };
    const path = `/api/v2/webhook/${made.webhookId}`;
    await shop.ask('PATCH', path, { body: { apiVersion: 'v9' } });
    await shop.ask('POST', `${path}/actions/disable`);
    await shop.ask('POST', `${path}/actions/enable`);
    await shop.ask('POST', `${path}/actions/rotate-secret`);
    assert.equal((await shop.call('POST', `${path}/actions/resume`)).status, 202);
    await shop.ask('DELETE', path);
    const entries = await log(shop);
    assert.deepEqual(
      entries.map(({ action }) => action),
      [
        'WEBHOOK_DELETED',
        'WEBHOOK_RESUMED',
        'WEBHOOK_SECRET_ROTATED',
        'WEBHOOK_ENABLED',
        'WEBHOOK_DISABLED',
        'WEBHOOK_UPDATED',
        'WEBHOOK_CREATED',
        'STAGE_CREATED',
      ],
    );
    const id = await tokenOf(shop);
    for (const { actor, actorId, address, stage, target, result, times, at, action } of entries) {
      assert.deepEqual([actor, actorId, address, stage], ['token', id, '127.0.0.1', 'production']);
      assert.deepEqual([result, times], ['DONE', 1]);
      assert.equal(target, action === 'STAGE_CREATED' ? 'stage/production' : `webhook/${made.webhookId}`);
      assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
    }
  });

  it('records definitions of the catalog, jobs, uploads and exports', async () => {
    const shop = await newShop();
    const accepted = await shop.post('/api-product/v1/product/attribute/bulk', [{ name: 'Title', type: 'TEXT' }]);
    assert.equal(accepted.status, 202);
    const category = await shop.ask('POST', '/api-category/v1/category', { body: { name: 'Disk' } });
    await shop.ask('PUT', '/api-category/v1/category', { body: { id: category.id, name: 'Disks' } });
    await shop.ask('DELETE', `/api-category/v1/category?id=${category.id}`);
    const upload = { fileName: 'a.csv', fileType: 'ITEM_IMPORT' };
    const file = await shop.ask('POST', '/files/product', { body: upload });
    await shop.ask('POST', `/jobs/${file.jobId}/actions/cancel`);
    const exported = await shop.call('POST', '/jobs/product/actions/filter-export', { body: { match: {} } });
    assert.equal(exported.status, 202);
    const entries = (await log(shop)).map(({ action, target }) => `${action} ${target}`);
    assert.deepEqual(entries, [
      `EXPORT_REQUESTED job/${exported.body.jobId}`,
      `JOB_CANCELLED job/${file.jobId}`,
      `UPLOAD_ANNOUNCED file/${file.id}`,
      `CATEGORY_DELETED category/${category.id}`,
      `CATEGORY_UPDATED category/${category.id}`,
      `CATEGORY_CREATED category/${category.id}`,
      `ATTRIBUTES_CHANGED job/${accepted.body.jobId}`,
      'STAGE_CREATED stage/production',
    ]);
  });

  it('is written with the change: where it cannot be written, nothing is changed', async () => {
    const shop = await newShop();
    const { webhookId } = (await shop.ask('POST', '/api/v2/webhook', { body: webhookBody() })) as {
      webhookId: string;
    };
    const file = await shop.ask('POST', '/files/product', { body: { fileName: 'a.csv', fileType: 'ITEM_IMPORT' } });
    await api.db.raw('ALTER TABLE audit_entry ADD CONSTRAINT full_disk CHECK (false) NOT VALID');
    try {
      const state = async () => [
        await api.db('webhook_definition').where({ account_id: shop.account }),
        await api.db('site').where({ account_id: shop.account }),
        await api.db('job').where({ account_id: shop.account }),
      ];
      const before = await state();
      const path = `/api/v2/webhook/${webhookId}`;
      for (const [method, address, body] of [
        ['POST', '/api/v2/webhook', { ...webhookBody(), apiVersion: 'v2' }],
        ['PATCH', path, { apiVersion: 'v3' }],
        ['DELETE', path, undefined],
        ['POST', `${path}/actions/disable`, undefined],
        ['POST', `${path}/actions/rotate-secret`, undefined],
        ['POST', `/jobs/${file.jobId}/actions/cancel`, undefined],
        ['POST', '/api-product/v1/product/attribute/bulk', [{ name: 'Title', type: 'TEXT' }]],
        ['POST', '/api-category/v1/category', { name: 'Disk' }],
        ['POST', '/files/product', { fileName: 'a.csv', fileType: 'ITEM_IMPORT' }],
      ] as const) {
        assert.equal((await shop.call(method, address, { body })).status, 500, `${method} ${address}`);
      }
      assert.equal((await shop.call('POST', '/item-import-templates', { context: { stage: 'new' } })).status, 500);
      assert.deepEqual(await state(), before);
    } finally {
      await api.db.raw('ALTER TABLE audit_entry DROP CONSTRAINT full_disk');
    }
  });

  it('names refused requests with their code, once a minute each, with their number', async () => {
    const shop = await newShop();
    const missing = '0123456789abcdef01234567';
    for (let time = 0; time < 3; time++) await shop.call('DELETE', `/api/v2/webhook/${missing}`);
    const reader = await createToken(api.db, { accountId: shop.account, name: 'x', scopes: ['webhooks:read'] });
    const weak = new Shop(api, shop.account, reader.token, 0);
    assert.equal((await weak.call('DELETE', `/api/v2/webhook/${missing}`)).status, 403);
    assert.deepEqual(
      (await log(shop)).map(({ action }) => action),
      ['STAGE_CREATED'],
      'nothing is written on the path of a refused request',
    );
    await api.services.recorder.write();
    const refused = (await log(shop)).filter(({ result }) => result !== 'DONE');
    assert.deepEqual(
      refused.map(({ action, actorId, target, result, times }) => [action, actorId, target, result, times]),
      [
        ['TOKEN_REFUSED', reader.id, 'DELETE /api/v2/webhook/:webhookId', 'SCOPE', 1],
        ['WEBHOOK_DELETED', await tokenOf(shop), `DELETE /api/v2/webhook/${missing}`, 'WEBHOOK_NOT_FOUND', 3],
      ],
    );
  });

  it('does not grow without end by refused requests: those beyond 50 a minute are counted together', async () => {
    const shop = await newShop();
    for (let number = 0; number < 60; number++) await shop.call('DELETE', `/api/v2/webhook/${number}`);
    await api.services.recorder.write();
    const refused = (await log(shop)).filter(({ result }) => result !== 'DONE');
    assert.equal(refused.length, 51);
    const others = refused.find(({ result }) => result === 'OTHERS');
    assert.deepEqual([others?.times, others?.actorId], [10, null]);
  });

  it('names tokens that are unknown, revoked or expired, and grants of clients', async () => {
    const shop = await newShop();
    const expired = await createToken(api.db, { accountId: shop.account, name: 'old', expiresAt: new Date(0) });
    for (const token of [expired.token, 'lst_unknown']) {
      const answer = await new Shop(api, shop.account, token, 0).call('GET', '/api/v2/webhook');
      assert.equal(answer.status, 401);
    }
    const client = await createClient(api.db, { accountId: shop.account, name: 'erp' });
    const grant = async (secret: string) =>
      (
        await api.fetch('/oauth2/token', {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'client_credentials',
            client_id: client.clientId,
            client_secret: secret,
          }),
        })
      ).status;
    assert.deepEqual([await grant('wrong'), await grant(client.clientSecret)], [401, 200]);
    await api.services.recorder.write();
    const entries = await log(shop);
    const granted = (await listTokens(api.db, shop.account)).find(({ name }) => name.includes(client.clientId));
    assert.deepEqual(
      entries.map(({ action, actor, actorId, result, target }) => [action, actor, actorId, result, target]),
      [
        ['TOKEN_REFUSED', 'client', client.clientId, 'invalid_client', null],
        ['TOKEN_REFUSED', 'token', expired.id, 'EXPIRED', 'GET /api/v2/webhook'],
        ['TOKEN_GRANTED', 'client', client.clientId, 'DONE', `token/${granted?.id}`],
      ],
    );
    const ownerless = await pageAudit(api.db, null, { action: 'TOKEN_REFUSED' }, { limit: 100 });
    assert.ok(ownerless.rows.some(({ result, address }) => result === 'UNKNOWN' && address === '127.0.0.1'));
  });

  it('is read by pages, and filtered by time, action and token', async () => {
    const shop = await newShop();
    const actor = { kind: 'token', id: 'a', address: null, requestId: null } as const;
    const entries = Array.from({ length: 25 }, (_, number) => ({
      actor: { ...actor, id: number % 2 === 0 ? 'even' : 'odd' },
      accountId: shop.account,
      action: number % 5 === 0 ? ('TOKEN_REVOKED' as const) : ('TOKEN_CREATED' as const),
      target: String(number),
    }));
    await recordAudit(api.db, entries);
    const seen: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await shop.ask('GET', `/api/v2/audit?limit=10${after === '' ? '' : `&after=${after}`}`);
      seen.push(...page.data.map(({ target }: Entry) => target));
      after = page.next;
    }
    assert.deepEqual(seen, entries.map(({ target }) => target).reverse());
    const targets = async (query: string) => (await log(shop, query)).map(({ target }) => Number(target));
    assert.deepEqual(await targets('&action=TOKEN_REVOKED'), [20, 15, 10, 5, 0]);
    assert.deepEqual(await targets('&action=TOKEN_REVOKED&actorId=odd'), [15, 5]);
    const oldest = (await log(shop)).at(-1);
    assert.deepEqual(await targets(`&until=${oldest?.at}`), []);
    assert.equal((await targets(`&since=${oldest?.at}`)).length, 25);
    assert.deepEqual(await targets(`&since=${new Date(Date.now() + 60_000).toISOString()}`), []);
    assert.equal((await shop.call('GET', '/api/v2/audit?after=x')).status, 400);
    assert.equal((await shop.call('GET', '/api/v2/audit?since=2026-01-31T09:30:00Z&until=x')).status, 400);
    assert.equal((await shop.call('GET', '/api/v2/audit?action=NOTHING')).status, 400);
  });

  it('is shown to its own account only, and asks for audit:read', async () => {
    const [shop, other] = [await newShop(), await newShop()];
    await shop.ask('POST', '/api-category/v1/category', { body: { name: 'Disk' } });
    assert.deepEqual(await log(other), []);
    const foreign = await other.call('GET', '/api/v2/audit', {
      context: { stage: 'production' },
      headers: api.headers(shop),
    });
    assert.equal(foreign.status, 200, 'the token of the shop itself');
    const { token } = await createToken(api.db, { accountId: shop.account, name: 'x', scopes: ['catalog:write'] });
    const answer = await new Shop(api, shop.account, token, 0).call('GET', '/api/v2/audit');
    assert.equal(answer.status, 403);
    assert.match(answer.body.message, /audit:read/);
  });

  it('is changed by nobody: the database refuses it, and prunes what is old only', async () => {
    const { db } = api;
    const shop = await newShop();
    const entry = { account_id: shop.account, actor_kind: 'token', action: 'TOKEN_CREATED', result: 'DONE' };
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    await db('audit_entry').insert([
      { ...entry, target: 'old', at: daysAgo(40) },
      { ...entry, target: 'young', at: daysAgo(20) },
    ]);
    const own = () => db('audit_entry').where({ account_id: shop.account });
    await assert.rejects(own().update({ target: 'another' }), /append-only: UPDATE is refused/);
    await assert.rejects(own().delete(), /append-only: DELETE is refused/);
    await assert.rejects(db.raw('TRUNCATE audit_entry'), /append-only: TRUNCATE is refused/);
    await assert.rejects(
      db.transaction(async (trx) => {
        await trx.raw("SELECT set_config('longshore.prunes_audit', 'yes', true)");
        await trx('audit_entry').insert({ ...entry, target: 'now' });
        await trx('audit_entry').where({ target: 'now' }).delete();
      }),
      /append-only: DELETE is refused/,
      'not even the one that prunes deletes what is new',
    );
    assert.equal(await pruneAudit(db, 30), 1);
    assert.deepEqual(await own().pluck('target'), ['young']);
  });

  it('shows when tokens and clients were last used, written once a minute and not by the request', async () => {
    const shop = await newShop();
    const client = await createClient(api.db, { accountId: shop.account, name: 'erp' });
    const granted = await createToken(api.db, { accountId: shop.account, name: `oauth client ${client.clientId}` });
    const used = async () =>
      Object.fromEntries((await listTokens(api.db, shop.account)).map((one) => [one.id, one.lastUsedAt]));
    const own = (await tokenOf(shop)) ?? '';
    await shop.ask('GET', '/api/v2/webhook');
    assert.equal((await used())[own], null);
    await new Shop(api, shop.account, granted.token, 0).ask('GET', '/api/v2/webhook');
    await api.services.recorder.write();
    const first = await used();
    assert.ok(first[own] instanceof Date && first[granted.id] instanceof Date);
    assert.ok((await listClients(api.db, shop.account))[0]?.lastUsedAt instanceof Date);
    await shop.ask('GET', '/api/v2/webhook');
    await api.services.recorder.write();
    assert.deepEqual(await used(), first, 'within the minute it stays');
    await api
      .db('access_token')
      .where({ id: own })
      .update({ last_used_at: new Date(0) });
    await shop.ask('GET', '/api/v2/webhook');
    await api.services.recorder.write();
    assert.ok(((await used())[own]?.getTime() ?? 0) > 0);
  });
});
