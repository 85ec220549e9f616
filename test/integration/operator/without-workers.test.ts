/** The operators' pages, the metrics and the scaling after every worker has died: nothing that they say is untrue. */
import assert from 'node:assert/strict';
import { Heartbeat } from '../../../db/heartbeats.js';
import { requestAction } from '../../../src/operator/actions.js';
import { VERSION } from '../../../src/platform/version.js';
import { SystemMeter } from '../../../src/workers/maintenance/measure-system.js';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type Workers, type World } from '../../support/worlds/world.js';

const GROUPS = ['bulk', 'export', 'webhook', 'maintenance'];
/** What is untrue while no worker lives and jobs wait. */
const UNTRUE = [
  ...[/Workers keep up/, /empty now|>empty</, /Everything works/, /Nothing waits/, /Nothing is due|nothing is due now/],
  ...[/the work needs no more/, /class="pill good">(?:no|alive)</, /class="pill busy">running</, /Measured \d+ s ago/],
];

describe("the operators' pages without a living worker", function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let worker: Heartbeat;
  let workers: Workers;

  before(async () => {
    world = await startWorld();
    shop = await world.newShop();
    worker = new Heartbeat(world.db, GROUPS, VERSION);
    await worker.beat();
    workers = await world.startWorkers({ processId: worker.id });
    await shop.define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ target: 'http://127.0.0.1:9/hook' }) });
    // While the worker lives and there is nothing to do, the leader measures.
    await new SystemMeter().measure(world.services);
  });
  after(() => world.stop());

  async function get(path: string): Promise<string> {
    const headers = { authorization: `Bearer ${world.api.operatorToken}` };
    const answer = await world.api.fetch(path, { headers });
    assert.equal(answer.status, 200, path);
    return answer.text();
  }

  /** What a section of the page Now says, as plain text. */
  async function section(id: string): Promise<string> {
    const [, text = ''] = new RegExp(`<section id="${id}">([\\s\\S]*?)</section>`).exec(await get('/admin')) ?? [];
    return text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  }

  it('conclude from a measurement while it is recent and a worker lives', async () => {
    assert.match(await section('arrival'), /Workers keep up\. Measured \d+ s ago/);
    assert.match(await section('empty'), /bulk empty/);
    assert.match(await section('wanted'), /bulk 1 1 the work needs no more/);
  });

  it('say, after it has died, what is known without it, and measured figures as of their time', async () => {
    await workers.stop();
    const jobs: string[] = [];
    for (let nth = 0; nth < 3; nth++) {
      jobs.push(await shop.upload(`${nth}.csv`, `SKU,Category Node,Title\nW-${nth},Disk,x\n`));
    }
    const actor = { kind: 'operator', id: 'test', address: null } as unknown as Parameters<typeof requestAction>[2];
    const action = await requestAction(world.db, { action: 'cancel', filter: { account: 'nobody' } }, actor);
    await world.db('operator_action').where({ id: action }).update({ started_at: world.db.fn.now() });
    const earlier = world.db.raw("now() - interval '47 seconds'");
    await world.db('process_heartbeat').where({ id: worker.id }).update({ seen_at: earlier });
    await world.db('process_snapshot').where({ id: 'system' }).update({ written_at: earlier });
    await world.db('job').whereIn('id', jobs).update({ created_at: earlier });

    assert.match(
      await section('wrong'),
      /No process serves bulk, export, webhook, maintenance|no worker process serves bulk/,
    );
    assert.match(await section('waits'), /4[7-9] s ago/);
    assert.match(
      await section('arrival'),
      /not served No process serves bulk, export, webhook, and work waits for one\./,
    );
    for (const id of ['arrival', 'empty', 'wanted']) {
      assert.match(await section(id), /The figures are those of 4[7-9] s ago\. No process serves maintenance/);
    }
    assert.match(await section('empty'), /bulk not before a process serves it/);
    assert.match(await section('empty'), /export nothing is due; no process serves it/);
    assert.match(await section('wanted'), /bulk 0 1 start one: npm run worker -- bulk/);
    assert.match(await section('processes'), /No process serves bulk/);
    assert.match(await get('/admin/actions'), /No process serves maintenance: start one/);
    const pages = ['/admin', '/admin/fleet', '/admin/actions', `/admin/actions/${action}`, `/admin/jobs/${jobs[0]}`];
    for (const path of [...pages, '/admin/endpoints', '/admin/work']) {
      const text = await get(path);
      for (const untrue of UNTRUE) {
        // A web process lives, and is shown as that.
        const judged =
          path === '/admin/fleet'
            ? text.replace(/<tr><td><span class="pill good">alive<\/span><\/td><td>web<[\s\S]*?<\/tr>/g, '')
            : text;
        assert.doesNotMatch(judged, untrue, path);
      }
    }
  });

  it('count living workers in the metrics and in the scaling, whatever was measured', async () => {
    const metrics = await get('/metrics');
    for (const group of GROUPS) assert.match(metrics, new RegExp(`^longshore_workers\\{group="${group}"\\} 0$`, 'm'));
    assert.match(metrics, /^longshore_system_age_seconds\{[^}]*\} (?:4[7-9]|5\d)/m);
    const { groups } = JSON.parse(await get('/admin/scale')) as { groups: Record<string, { workers: number }> };
    assert.deepEqual(
      Object.values(groups).map(({ workers }) => workers),
      [0, 0, 0],
    );
  });

  it('count them when nobody has measured for long, and show old figures as of their time', async () => {
    const hours = world.db.raw("now() - interval '2 hours'");
    await world.db('process_snapshot').where({ id: 'system' }).update({ written_at: hours });
    assert.match(await get('/metrics'), /^longshore_workers\{group="bulk"\} 0$/m);
    assert.match(await section('arrival'), /The figures are those of 2 h ago/);
    await world.db('process_snapshot').where({ id: 'system' }).delete();
    assert.match(await section('empty'), /Nothing has been measured yet[\s\S]*bulk not before a process serves it/);
  });

  it('draw no conclusion while workers live and nobody measures', async () => {
    await new SystemMeter().measure(world.services);
    const hours = world.db.raw("now() - interval '47 seconds'");
    await world.db('process_snapshot').where({ id: 'system' }).update({ written_at: hours });
    const bulk = new Heartbeat(world.db, ['bulk', 'export', 'webhook'], VERSION);
    await bulk.beat();
    assert.match(await section('arrival'), /not known Nobody measures it at present/);
    assert.match(await section('empty'), /bulk not known; something is due not known/);
    assert.match(await section('wanted'), /bulk 1 1 not known: it is not measured at present/);
  });
});
