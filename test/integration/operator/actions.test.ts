/** What operators do from their pages: forms that only our own pages can send, and actions that are done once. */
import assert from 'node:assert/strict';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { findAction, listActions, pruneActions, requestAction } from '../../../src/operator/actions.js';
import { runActions } from '../../../src/operator/run-actions.js';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { failJob } from '../../support/worlds/failed-job.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const NEVER = () => false;

describe('actions of operators', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let actor: { kind: 'operator'; id: string; address: null; requestId: string };

  before(async () => {
    world = await startWorld();
    const { id } = await world.db('access_token').whereNull('account_id').first('id');
    actor = { kind: 'operator', id, address: null, requestId: 'test' };
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  const ask = (path: string, init: RequestInit = {}) => {
    const authorization = `Basic ${btoa(`me:${world.api.operatorToken}`)}`;
    return world.api.fetch(`/admin${path}`, { ...init, headers: { authorization, ...init.headers } });
  };
  const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    ask(path, { method: 'POST', headers: { origin: world.api.url, ...headers }, body: new URLSearchParams(fields) });

  /** The fields of the form whose button has this text, as a browser would send them. */
  async function formOf(page: string, button: string): Promise<Record<string, string>> {
    const forms = [...page.matchAll(/<form method="post"[^>]*>(.*?)<\/form>/gs)].map(([, form = '']) => form);
    const form = forms.find((one) => one.includes(`>${button}`));
    assert.ok(form !== undefined, `there is no button ${button}`);
    return Object.fromEntries(
      [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    );
  }
  async function tokenOfForm(): Promise<string> {
    const { jobId } = await world.acceptRows(shop, 'insert', [{ sku: 'token' }]);
    return (await formOf(await (await ask(`/jobs/${jobId}`)).text(), 'Cancel this job')).token ?? '';
  }
  const acceptJobs = async (of: Shop, count: number) => {
    const made: string[] = [];
    for (let nth = 0; nth < count; nth++) made.push((await world.acceptRows(of, 'insert', [{ sku: `${nth}` }])).jobId);
    return made;
  };
  const statuses = async (ids: readonly string[]): Promise<string[]> =>
    (
      await world
        .db('job')
        .whereIn('id', [...ids])
        .distinct('status')
        .orderBy('status')
    ).map(({ status }) => status);
  const audited = (action: string, of: string | null): Promise<{ actor_id: string; target: string }[]> =>
    world.db('audit_entry').where({ action, account_id: of }).select('actor_id', 'target');

  it('cancels a job from its page, and the account sees who did it', async () => {
    const { jobId } = await world.acceptRows(shop, 'insert', [{ sku: 'a' }]);
    const form = await formOf(await (await ask(`/jobs/${jobId}`)).text(), 'Cancel this job');
    const sent = await send('/actions', form);
    assert.equal(sent.status, 303);
    const address = sent.headers.get('location') ?? '';
    assert.match(address, /^\/admin\/actions\/[0-9a-f]{24}\?refresh=2$/);
    const waiting = await ask(address.slice('/admin'.length));
    assert.equal(waiting.headers.get('refresh'), '2');
    assert.match(await waiting.text(), /waits/);
    await runActions(world.services, NEVER);
    assert.deepEqual(await statuses([jobId]), ['CANCELLED']);
    assert.match(await (await ask(address.slice('/admin'.length))).text(), /<span class="pill good">done<\/span>/);
    assert.deepEqual(await audited('JOB_CANCELLED', shop.account), [{ actor_id: actor.id, target: `job/${jobId}` }]);
  });

  it('cancels all jobs that match after a confirmation, and no others, and records who asked for what', async () => {
    const other = await world.newShop();
    const ours = await acceptJobs(shop, 60);
    const theirs = await acceptJobs(other, 2);
    const page = await (await ask(`/work?account=${shop.account}`)).text();
    const confirmation = await send('/actions', await formOf(page, 'Cancel all that have not ended'));
    assert.equal(confirmation.status, 200);
    const text = await confirmation.text();
    assert.match(text, /Now 60 jobs of 1 account match/);
    const sent = await send('/actions', await formOf(text, 'Cancel jobs'));
    assert.equal(sent.status, 303);
    const [{ jobId: later }] = [await world.acceptRows(shop, 'insert', [{ sku: 'later' }])];
    await runActions(world.services, NEVER);
    assert.deepEqual(await statuses(ours), ['CANCELLED']);
    assert.deepEqual(await statuses([...theirs, later]), ['SCHEDULED']);
    const [action] = await listActions(world.db, 1);
    assert.deepEqual([action?.outcome, action?.done, action?.refused], ['DONE', 60, 0]);
    assert.equal((await audited('JOB_CANCELLED', shop.account)).length, 60);
    const started = await audited('OPERATOR_ACTION_STARTED', null);
    const filter = JSON.stringify({ account: shop.account });
    assert.ok(started.some(({ target }) => target === `operator-action/${action?.id} cancel ${filter}`));
    assert.match(await (await ask('/actions')).text(), new RegExp(`account ${shop.account}`));
  });

  it('retries the failed jobs that match, in their order, and leaves the old ones as they were', async () => {
    const rows = ['x', 'y'].map((sku) => [{ sku, nodeName: 'Disk', attributes: { Title: sku } }]);
    const failed: string[] = [];
    for (const of of rows) failed.push(await failJob(world.db, shop, of));
    const others = await failJob(world.db, await world.newShop(), rows[0] ?? []);
    const page = await (await ask(`/work?account=${shop.account}&status=FAILED`)).text();
    const text = await (await send('/actions', await formOf(page, 'Retry all'))).text();
    assert.match(text, /Now 2 jobs of 1 account match and can be retried/);
    assert.equal((await send('/actions', await formOf(text, 'Retry jobs'))).status, 303);
    await runActions(world.services, NEVER);
    const [action] = await listActions(world.db, 1);
    assert.deepEqual([action?.outcome, action?.done, action?.refused], ['DONE', 2, 0]);
    const retries = await world.db('job').where({ account_id: shop.account, status: 'SCHEDULED' }).orderBy('line_no');
    assert.deepEqual(
      retries.map(({ options }) => options.retryOf),
      failed,
    );
    assert.deepEqual(await statuses([...failed, others]), ['FAILED']);
    assert.equal((await audited('JOB_RETRIED', shop.account)).length, 2);
    assert.match(await (await ask(`/jobs/${retries[0]?.id}`)).text(), new RegExp(`/admin/jobs/${failed[0]}`));
    // One by itself, whatever its status; what has not ended is refused.
    const open = retries[0]?.id ?? '';
    const token = (await formOf(page, 'Retry all')).token ?? '';
    await send('/actions', { token, action: 'retry', job: others });
    await send('/actions', { token, action: 'retry', job: open });
    await runActions(world.services, NEVER);
    assert.deepEqual(
      (await listActions(world.db, 2)).map(({ done }) => done),
      [0, 1],
    );
  });

  it('accepts forms of its own pages only', async () => {
    const { jobId } = await world.acceptRows(shop, 'insert', [{ sku: 'a' }]);
    const form = await formOf(await (await ask(`/jobs/${jobId}`)).text(), 'Cancel this job');
    const refused: readonly (readonly [Record<string, string>, Record<string, string>])[] = [
      [form, { origin: 'https://evil.example' }],
      [form, { origin: 'null' }],
      [{ ...form, token: '' }, {}],
      [{ ...form, token: `${form.token}x` }, {}],
      [{ action: 'cancel', job: jobId }, {}],
    ];
    for (const [fields, headers] of refused) assert.equal((await send('/actions', fields, headers)).status, 403);
    const withoutOrigin = await ask('/actions', { method: 'POST', body: new URLSearchParams(form) });
    assert.equal(withoutOrigin.status, 403);
    const asAccount = { authorization: `Bearer ${shop.token}` };
    assert.equal((await send('/actions', form, asAccount)).status, 403);
    assert.equal((await ask('/actions', { method: 'DELETE' })).status, 405);
    assert.equal((await send('/actions', { ...form, action: 'drop' })).status, 400);
    assert.equal((await send('/work', form)).status, 404);
    await runActions(world.services, NEVER);
    assert.deepEqual(await statuses([jobId]), ['SCHEDULED']);
  });

  it('continues where a process has stopped in the middle, and does nothing twice', async () => {
    const ids = await acceptJobs(shop, 12);
    const id = await requestAction(world.db, { action: 'cancel', filter: { account: shop.account } }, actor);
    let asked = 0;
    await runActions(world.services, () => ++asked > 6);
    const halfway = await findAction(world.db, id);
    assert.ok(halfway.outcome === null && halfway.done > 0 && halfway.done < 12, JSON.stringify(halfway));
    // Two processes that both believe that they lead.
    await Promise.all([runActions(world.services, NEVER), runActions(world.services, NEVER)]);
    await runActions(world.services, NEVER);
    const ended = await findAction(world.db, id);
    assert.deepEqual([ended.outcome, ended.done, ended.refused], ['DONE', 12, 0]);
    assert.deepEqual(await statuses(ids), ['CANCELLED']);
    assert.equal((await audited('JOB_CANCELLED', shop.account)).length, 12);
  });

  it('stops on request between two jobs', async () => {
    await acceptJobs(shop, 3);
    const id = await requestAction(world.db, { action: 'cancel', filter: { account: shop.account } }, actor);
    const form = { token: await tokenOfForm() };
    assert.equal((await send(`/actions/${id}/stop`, form)).status, 303);
    await runActions(world.services, NEVER);
    const { outcome, done } = await findAction(world.db, id);
    assert.deepEqual([outcome, done], ['STOPPED', 0]);
    assert.equal((await send(`/actions/${id}/stop`, form)).status, 409);
    assert.equal((await send(`/actions/${newId()}/stop`, form)).status, 404);
    assert.ok((await audited('OPERATOR_ACTION_STOPPED', null)).some(({ target }) => target.endsWith(id)));
  });

  it('resumes and replays the endpoints of an account, and says which it was refused', async () => {
    const define = async (over = {}) =>
      (await shop.ask('POST', '/api/v2/webhook', { body: webhookBody(over) })).webhookId as string;
    const [open, disabled] = [await define(), await define()];
    await world
      .db('endpoint_health')
      .where({ definition_id: open })
      .update({ openings: 3, open_until: world.db.raw("now() + interval '1 hour'") });
    await shop.ask('POST', `/api/v2/webhook/${disabled}/actions/disable`);
    const filter = { account: shop.account };
    const resume = await requestAction(world.db, { action: 'resume', filter }, actor);
    const replay = await requestAction(world.db, { action: 'replay', filter: { endpoint: open } }, actor);
    await runActions(world.services, NEVER);
    const resumed = await findAction(world.db, resume);
    assert.deepEqual([resumed.outcome, resumed.done, resumed.refused], ['DONE', 1, 1]);
    assert.deepEqual(
      resumed.refusals.map(({ id }) => id),
      [disabled],
    );
    const health = await world.db('endpoint_health').where({ definition_id: open }).first('open_until');
    assert.ok(health.open_until.getTime() <= Date.now());
    assert.equal((await findAction(world.db, replay)).done, 1);
    const jobs = await world.db('job').where({ account_id: shop.account, type: 'WEBHOOK_REPLAY' }).select('options');
    assert.deepEqual(
      jobs.map(({ options }) => options.webhookId),
      [open],
    );
    assert.match(await (await ask(`/actions/${resume}`)).text(), /the webhook definition is disabled/);
  });

  it('are forgotten with the audit log', async () => {
    const [job = ''] = await acceptJobs(shop, 1);
    const id = await requestAction(world.db, { action: 'cancel', filter: { job } }, actor);
    await runActions(world.services, NEVER);
    await pruneActions(world.db, 1);
    assert.equal((await findAction(world.db, id)).outcome, 'DONE');
    await pruneActions(world.db, 0);
    await assert.rejects(findAction(world.db, id), { code: 'ACTION_NOT_FOUND' });
  });
});
