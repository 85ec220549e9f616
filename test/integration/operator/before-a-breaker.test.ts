/** What the operators' page shows early: endpoints of which attempts fail, the plots of a day, and one finite import. */
import assert from 'node:assert/strict';
import pg from 'pg';
import { firstIdOf, newId } from '../../../src/domain/kernel/identifier.js';
import { html } from '../../../src/operator/view/html.js';
import { arrival, emptyTimes, wanted } from '../../../src/operator/view/load-sections.js';
import { VERSION } from '../../../src/platform/version.js';
import { HourlyFigures } from '../../../src/workers/maintenance/hourly-figures.js';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const HOUR_MS = 3_600_000;

describe('the page Now', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;

  before(async () => {
    world = await startWorld();
    shop = await world.newShop();
  });
  after(() => world.stop());

  async function section(id: string): Promise<string> {
    const headers = { authorization: `Bearer ${world.api.operatorToken}` };
    const text = await (await world.api.fetch('/admin', { headers })).text();
    return new RegExp(`<section id="${id}">([\\s\\S]*?)</section>`).exec(text)?.[1] ?? '';
  }
  const plain = (markup: string) => markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

  it('shows an endpoint with its first failed attempts and their rate, before its breaker opens', async () => {
    const ids: string[] = [];
    for (const target of ['http://127.0.0.1:9/a', 'http://127.0.0.1:10/b', 'http://127.0.0.1:11/c']) {
      const { webhookId } = await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ target }) });
      ids.push(webhookId);
    }
    assert.match(plain(await section('endpoints')), /Every circuit breaker is closed, and no attempt has failed/);
    const health = (id: string, over: object) => world.db('endpoint_health').where({ definition_id: id }).update(over);
    const now = world.db.fn.now();
    const window = { window_began_at: now, window_attempts: 4, window_failures: 1, last_error: 'refused' };
    await health(ids[0] ?? '', window);
    await health(ids[1] ?? '', { ...window, window_failures: 4, failure_streak: 4, failing_since: now });
    const text = plain(await section('endpoints'));
    assert.match(
      text,
      /127\.0\.0\.1:10 .* 4 in a row, 100 % within 5 minutes, the first \d+ s ago closed .*127\.0\.0\.1:9 .* 25 % within 5 minutes/,
    );
    assert.doesNotMatch(text, /127\.0\.0\.1:11/);
    assert.match(plain(await section('wrong')), /2 endpoints not working: attempts fail/);
  });

  it('has a plot of a day for keeping up, for the deploy and for the file store, from the rows that exist', async () => {
    assert.match(await section('keeping-up'), /No job was accepted/);
    const { siteId, accountId } = shop.site;
    for (const [hoursAgo, status, seconds] of [
      [5, 'COMPLETED', 2],
      [3, 'COMPLETED', 2],
      [1, 'FAILED', 90],
    ] as const) {
      const at = new Date(Date.now() - hoursAgo * HOUR_MS);
      const id = firstIdOf(at) + newId().slice(8);
      const job = {
        id,
        site_id: siteId,
        account_id: accountId,
        type: 'ITEM_IMPORT',
        kind: 'item',
        status,
        shared: false,
      };
      const end = new Date(at.getTime() + 1_000 * seconds);
      await world.db('job').insert({ ...job, options: '{}', created_at: at, started_at: at, completed_at: end });
      const file = { id, site_id: siteId, type: 'ITEM_IMPORT', name: 'x.csv', status: 'UPLOADED', bytes: 5_000_000 };
      await world.db('file').insert({ ...file, created_at: at });
    }
    const begun = new Date(Date.now() - 2 * HOUR_MS);
    const process = { id: newId(), groups: ['bulk'], host: 'h', pid: 1, version: VERSION, started_at: begun };
    await world.db('process_heartbeat').insert(process);
    const kept = await section('keeping-up');
    assert.match(
      plain(kept),
      /95 of 100 have taken at most 1 min 30 s from acceptance to end, in a usual hour of the day 2 s/,
    );
    assert.equal(kept.match(/<rect /g)?.length, 3);
    const deploy = await section('deploy');
    assert.match(
      plain(deploy),
      /Version [\d.]+ began at \d\d:\d\d UTC\. In the whole hours before it, 0 % of 2 jobs failed; since then, 100 % of 1 job/,
    );
    assert.match(deploy, /<line class="deploy"/);
    assert.match(
      plain(await section('runs-out')),
      /the file store reaches its reserve in .*The highest hour: 4\.8 MiB/,
    );
  });

  it('has a plot of a day for connections and for the size of the database, which maintenance notes', async () => {
    assert.match(plain(await section('connections')), /Not known yet/);
    await new HourlyFigures().note(world.db, { connections: 12, connectionLimit: 97 });
    await new HourlyFigures().note(world.db, { connections: 7, connectionLimit: 97 });
    const hours = world.db.raw("date_trunc('hour', now(), 'UTC') - interval '2 hours'");
    const earlier = { hour: hours, connections: 95, connection_limit: 97, database_bytes: 4_000_000 };
    const connections = await section('connections');
    assert.match(
      plain(connections),
      /room At most 12 of 97 connections to Postgres were open at once, as noted every minute\./,
    );
    assert.equal(connections.match(/<rect /g)?.length, 1);
    await world.db('hourly_figure').insert(earlier);
    assert.match(plain(await section('connections')), /scarce At most 95 of 97 .* Raise max_connections/);
    const database = await section('database');
    assert.match(
      plain(database),
      /The database has [\d.]+ MiB\. It has grown by [\d.]+ MiB since the hour of \d\d:00 UTC/,
    );
    assert.equal(database.match(/<rect /g)?.length, 2);
    await world.db('hourly_figure').insert({ ...earlier, hour: world.db.raw("now() - interval '27 hours'") });
    await new HourlyFigures().note(world.db, { connections: 1, connectionLimit: 97 });
    assert.equal(Number((await world.db('hourly_figure').count())[0]?.count), 2, 'older hours are forgotten');
  });

  it('never says that workers keep up while one waits for a lock, or work has been due for long', async () => {
    const [holder, worker] = ['longshore-test', 'longshore-worker'].map(
      (name) => new pg.Client({ connectionString: world.api.services.config.databaseUrl, application_name: name }),
    );
    assert.ok(holder !== undefined && worker !== undefined);
    await Promise.all([holder.connect(), worker.connect()]);
    try {
      await holder.query('BEGIN; LOCK TABLE item IN ACCESS EXCLUSIVE MODE');
      const waits = worker.query('SELECT FROM item').catch(() => undefined);
      const stuck =
        /1 connection of workers waits for a lock of Postgres, the longest for \d+ s, on the table item , which session \d+ \(longshore-test\) holds\. What to do: wait for it to end, or end it: SELECT pg_terminate_backend\(\d+\)/;
      await until('the page says so', async () => stuck.test(plain(await section('wrong'))), 10_000);
      // Measured are the workers that live; the lock is known without them.
      const groups = ['bulk', 'export', 'webhook'];
      const served = new Map([...groups, 'maintenance'].map((name) => [name, 1]));
      const idle = { arrival: 0, busy: 0, due: 0, parallel: 0, wanted: 1, limitedBy: null, slots: 4 };
      const load = { ageSeconds: 2, groups: groups.map((group) => ({ ...idle, group })) };
      const view = { load, served, waiting: new Map<string, number>(), stuckMs: null };
      assert.match(plain(arrival(view).text), /Workers keep up/);
      const seen = plain(arrival({ ...view, stuckMs: 6_000 }).text);
      assert.match(seen, /stuck Workers wait for a lock of Postgres , the longest for 6 s/);
      assert.doesNotMatch(seen, /keep up/);
      const late = plain(arrival({ ...view, waiting: new Map([['bulk', 200_000]]) }).text);
      assert.match(late, /late bulk: no more arrives than is done, but what waits longest has been due for 3 min/);
      assert.doesNotMatch(late, /keep up/);
      await holder.query('ROLLBACK');
      await waits;
    } finally {
      await Promise.all([holder.end(), worker.end()]);
    }
    assert.doesNotMatch(plain(await section('wrong')), /wait[s]? for a lock/);
  });

  it('never says never of one finite import, and explains what limits the number of workers', () => {
    const group = {
      group: 'bulk',
      slots: 4,
      arrival: 9.5,
      busy: 3,
      due: 40,
      parallel: 12,
      wanted: 1,
      limitedBy: 'parallelism',
    };
    const idle = { arrival: 0, busy: 0, due: 0, parallel: 0, wanted: 1, limitedBy: null, slots: 4 };
    const groups = [group, { ...idle, group: 'export' }, { ...idle, group: 'webhook' }];
    const served = new Map(['bulk', 'export', 'webhook', 'maintenance'].map((name) => [name, 1]));
    const view = { load: { ageSeconds: 2, groups }, served, waiting: new Map([['bulk', 0]]), stuckMs: null };
    const empty = plain(html`${emptyTimes(view)}`.text);
    assert.match(empty, /bulk about 10 s it grows/);
    assert.doesNotMatch(empty, /never/);
    assert.match(plain(arrival(view).text), /for now bulk: .* What waits is done within a minute/);
    assert.match(plain(wanted(view).text), /jobs of a stage wait for each other/);
    assert.doesNotMatch(plain(wanted(view).text), /limited by parallelism/);
  });
});
