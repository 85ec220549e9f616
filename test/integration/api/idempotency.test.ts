import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { connectDb } from '../../../db/connection.js';
import { defineRoute } from '../../../src/api/define-route.js';
import { pruneIdempotencyKeys, runOnce } from '../../../src/domain/access/accept-once.js';
import { toyRoutes } from '../../support/http/toy-routes.js';
import { until } from '../../support/until.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

/** Work stops here while the test holds the lock. */
const GATE = 'SELECT pg_advisory_xact_lock(20261121)';
const WAITING = `
  SELECT wait_event AS waits_for FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' ORDER BY wait_event
`;
const WORKING = { waits_for: 'advisory' };
const WAITING_FOR_TWIN = { waits_for: 'transactionid' };

/** Requests that keep their turns until the test lets them go. */
const turns: (() => void)[] = [];
const holding = defineRoute({
  tag: 'Toys',
  summary: 'A toy',
  siteContext: true,
  method: 'POST',
  path: '/api-product/toy/hold',
  operationId: 'postApiProductToyHold',
  family: 'catalog',
  auth: { scope: 'catalog:write' },
  responses: { 204: { description: 'At last' } },
  handle: async () => {
    await new Promise<void>((resolve) => turns.push(resolve));
    return { status: 204 };
  },
});

describe('Idempotency-Key', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi({ routes: [...toyRoutes, holding], environment: { DATABASE_POOL_MAX: '4' } });
    await api.db.schema.createTable('toy_job', (table) => table.text('id').primary());
  });
  after(() => api.stop());
  beforeEach(() => api.db('toy_job').delete());

  const accept = (key: string | undefined, body = '[1]', headers: Record<string, string> = {}, query = '') =>
    api.fetch(`/api-product/toy/accept${query}`, {
      method: 'POST',
      headers: {
        ...api.headers(),
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...headers,
      },
      body,
    });
  const jobs = async () => (await api.db('toy_job')).length;

  it('makes one job of 50 requests at once, and gives them one answer, with a pool of 4', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => accept('fifty')));
    const answers = await Promise.all(responses.map(async (response) => `${response.status} ${await response.text()}`));
    assert.equal(new Set(answers).size, 1);
    assert.match(answers[0] ?? '', /^202 /);
    assert.equal(await jobs(), 1);
  });

  it('answers again while every turn of its account is taken, and a new request waits for one', async () => {
    const first = await accept('repeated');
    const answer = await first.text();
    const hold = () => api.fetch('/api-product/toy/hold', { method: 'POST', headers: api.headers() });
    const others: Promise<Response>[] = [];
    // As many as one account may have in progress.
    for (let count = 0; count < 128; count++) others.push(hold());
    await until('all turns are taken', () => turns.length === 128, 30_000);
    let isAnswered = false;
    const waiting = accept('new').finally(() => (isAnswered = true));
    const again = await accept('repeated');
    assert.deepEqual([again.status, await again.text()], [202, answer]);
    assert.equal(isAnswered, false);
    for (const end of turns.splice(0)) end();
    for (const one of others) assert.equal((await one).status, 204);
    assert.equal((await waiting).status, 202);
    assert.equal(await jobs(), 2);
  });

  it('makes one job of twins that reach two processes', async () => {
    const other = connectDb({ url: api.services.config.databaseUrl, poolMax: 4, name: 'other process' });
    try {
      const request = { accountId: api.account, key: 'two processes', fingerprint: Buffer.alloc(32) };
      const work = (db: typeof other, id: string) =>
        runOnce(db, request, async (trx) => {
          await trx('toy_job').insert({ id });
          await trx.raw(GATE);
          return { status: 202, body: { id }, jobId: null };
        });
      const twins = await api.db.transaction(async (gate) => {
        await gate.raw(GATE);
        const all = Promise.all([work(api.db, 'a'), work(other, 'b'), work(api.db, 'c'), work(other, 'd')]);
        const met = async () => isDeepStrictEqual((await api.db.raw(WAITING)).rows, [WORKING, WAITING_FOR_TWIN]);
        await until('one process works and the other waits for it', met, 10_000);
        return { all };
      });
      const done = await twins.all;
      assert.equal(new Set(done.map(({ answer }) => JSON.stringify(answer))).size, 1);
      assert.equal(done.filter(({ replayed }) => !replayed).length, 1);
      assert.equal(await jobs(), 1);
    } finally {
      await other.destroy();
    }
  });

  it('makes a job each without a key', async () => {
    await Promise.all([accept(undefined), accept(undefined)]);
    assert.equal(await jobs(), 2);
  });

  it('answers 422 to the key of another request: body, query, context', async () => {
    assert.equal((await accept('once')).status, 202);
    const stage = { 'x-site-context': JSON.stringify({ account: api.account, stage: 'other' }) };
    for (const response of [
      await accept('once', '[2]'),
      await accept('once', '[1]', {}, '?a=1'),
      await accept('once', '[1]', stage),
    ]) {
      assert.equal(response.status, 422);
      assert.equal(((await response.json()) as { code: string }).code, 'IDEMPOTENCY_KEY_REUSED');
    }
    assert.equal(await jobs(), 1);
  });

  it('takes a context that says the same in other words for the same', async () => {
    const first = await (await accept('words')).text();
    const context = { 'x-site-context': JSON.stringify({ stage: 'production', account: api.account }) };
    assert.equal(await (await accept('words', '[1]', context)).text(), first);
  });

  it('keeps keys of accounts apart', async () => {
    const other = await api.newAccount();
    await accept('shared');
    assert.equal((await accept('shared', '[1]', api.headers(other))).status, 202);
    assert.equal(await jobs(), 2);
  });

  it('remembers no failure: the next with the key is the first', async () => {
    assert.equal((await accept('fails', '["boom"]')).status, 500);
    assert.equal(await jobs(), 0);
    assert.equal((await accept('fails', '["boom"]')).status, 500);
    assert.equal((await accept('fails', '[1]')).status, 202);
  });

  it('lets the second of two twins do the work when the first fails', async () => {
    const responses = await Promise.all([accept('mixed', '["boom"]'), accept('mixed', '[1]')]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [202, 500]);
  });

  it('answers 400 to a malformed key', async () => {
    assert.equal((await accept('x'.repeat(256))).status, 400);
  });

  it('keeps any JSON as the answer', async () => {
    const request = { accountId: api.account, key: 'array', fingerprint: Buffer.alloc(32) };
    const answer = { status: 200, body: [{ a: 'x' }, null], jobId: null };
    await runOnce(api.db, request, async () => answer);
    const again = await runOnce(api.db, request, () => assert.fail('the work is done'));
    assert.deepEqual(again, { answer, replayed: true });
  });

  it('is pruned by age', async () => {
    await accept('aged');
    assert.equal(await pruneIdempotencyKeys(api.db, new Date()), 0);
    assert.ok((await pruneIdempotencyKeys(api.db, new Date(Date.now() + 49 * 3_600_000))) >= 1);
    assert.equal((await accept('aged', '[2]')).status, 202);
  });
});
