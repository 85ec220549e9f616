/** Attempts to get around an approval, and what is shown of jobs that end without one. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { createClient } from '../../../src/domain/access/clients.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { followEnd } from '../../../src/domain/jobs/follow-end.js';
import { expireJobs } from '../../../src/domain/jobs/reconcile/expire-jobs.js';
import { deleteJobs } from '../../../src/domain/jobs/reconcile/prune/old-jobs.js';
import { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WAIT = { prefer: 'wait=20' };
const CATALOG = { attributes: ['Title', { name: 'Price', type: 'DECIMAL' }], categories: { Disk: ['Title', 'Price'] } };
const MISSING = {
  attributes: [{ name: 'Colour', type: 'TEXT' }],
  options: [],
  categories: [],
  assignments: [{ category: 'Disk', attributes: ['Colour'] }],
};
const CREATE = { attributes: true, options: true, categories: true, assignments: true };

describe('attacks on approvals', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  /** The same account with another token. */
  let other: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 3 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define(CATALOG);
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'other' });
    other = withToken(token);
    await shop.bulk('insert', items({ a: '1', b: '2', c: '3' }));
  });

  const withToken = (token: string) => new Shop(world.api, shop.account, token, shop.siteId);
  const items = (prices: Readonly<Record<string, string>>) =>
    Object.entries(prices).map(([sku, price]) => ({ sku, nodeName: 'Disk', attributes: { Price: price } }));
  const prices = () => shop.values('Price');
  const approve = (id: string, by = other) => by.post(`/jobs/${id}/actions/approve`, {}, { headers: WAIT });
  const waited = (id: string) => shop.ask('GET', `/jobs/${id}`, { headers: WAIT });
  const rule = (approval: object) => shop.ask('PATCH', '/site-settings', { body: { approval } });
  const attributes = async (): Promise<string[]> =>
    (await shop.ask('GET', '/api-product/v1/product/attribute?limit=100')).data.map(
      ({ name }: { name: string }) => name,
    );

  it('counts nothing as written of a preview that abort rejects', async () => {
    const asked = await shop.bulk('upsert', items({ a: '10', b: 'x', z: '3' }), {
      query: 'requireApproval=true&onError=abort',
    });
    const file = await shop.upload('items.csv', 'SKU,Category Node,Price\na,Disk,10\nb,Disk,x\nz,Disk,3\n', {
      requireApproval: true,
      onError: 'abort',
    });
    for (const id of [asked.body.jobId, file]) {
      const { status, created, updated, unchanged, failed } = await shop.outcome(id);
      assert.deepEqual([status, created, updated, unchanged, failed], ['REJECTED', 0, 0, 0, 1]);
      const { success, failed: told } = await shop.result(id);
      assert.deepEqual([success, told.length], [[], 3]);
    }
  });

  it('waits for an approval of definitions, even if no row would change', async () => {
    for (const onError of ['skip', 'abort']) {
      const file = await shop.hold('SKU,Category Node,Price\na,Disk,1\n');
      const body = { createMissing: CREATE, missing: MISSING, options: { requireApproval: true, onError } };
      const { status, text } = await shop.importHeld(file, body);
      assert.equal(status, 202, text);
      const waiting = await waited(file.jobId);
      assert.deepEqual([waiting.status, waiting.created?.attributes], ['AWAITING_APPROVAL', 1], onError);
      assert.match(waiting.statusMessage, /would create 2 definitions/);
      assert.equal((await attributes()).includes('Colour'), false);
      if (onError === 'skip') await shop.post(`/jobs/${file.jobId}/actions/reject`, {});
      else assert.equal((await approve(file.jobId)).body.status, 'COMPLETED');
    }
    assert.equal((await attributes()).includes('Colour'), true);
  });

  it('does not import the error file of a job that asked for an approval without one', async () => {
    const id = await shop.upload('items.csv', 'SKU,Price\na,10\nb,x\n', { requireApproval: true });
    await waited(id);
    await approve(id);
    const { errorFile } = await shop.outcome(id);
    const { bytes } = await shop.download(errorFile ?? '');
    const again = await shop.upload('errors-items.csv', bytes.toString().replace(',x', ',20'));
    assert.equal((await waited(again)).status, 'AWAITING_APPROVAL');
    assert.equal((await prices()).b, '2');
    // Even if the rule of the stage lets small jobs go on by themselves.
    await rule({ when: 'LARGE', items: 100 });
    const large = await shop.upload('errors-items.csv', bytes.toString().replace(',x', ',20'));
    assert.equal((await waited(large)).status, 'AWAITING_APPROVAL');
    assert.equal((await approve(large, shop)).status, 403);
    assert.equal((await approve(large)).body.status, 'COMPLETED');
    assert.equal((await prices()).b, '20');
    // Who says otherwise needs none.
    await rule({ when: 'REQUESTED' });
    const direct = bytes.toString().replace(',x', ',21');
    assert.equal((await shop.importFile('errors-items.csv', direct, { requireApproval: false })).updated, 1);
  });

  it('is not approved by another token of the client that has sent the job', async () => {
    const { clientId, clientSecret } = await createClient(world.db, { accountId: shop.account, name: 'feed' });
    const stranger = await createClient(world.db, { accountId: shop.account, name: 'other feed' });
    const granted = async (client_id: string, client_secret: string) => {
      const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
      const answer = await world.api.fetch('/oauth2/token', { method: 'POST', body: form });
      const { access_token: token } = (await answer.json()) as { access_token: string };
      return withToken(token);
    };
    const own = await granted(clientId, clientSecret);
    const sent = await own.bulk('upsert', items({ a: '10' }), { query: 'requireApproval=true' });
    assert.equal(sent.body.status, 'AWAITING_APPROVAL', sent.text);
    const refused = await approve(sent.body.jobId, await granted(clientId, clientSecret));
    assert.equal(refused.status, 403, refused.text);
    const another = await granted(stranger.clientId, stranger.clientSecret);
    // Nor a retry of it, which is a job of its own.
    await shop.post(`/jobs/${sent.body.jobId}/actions/reject`, {});
    const again = await own.post(`/jobs/${sent.body.jobId}/actions/retry`, {}, { headers: WAIT });
    assert.equal(again.body.status, 'AWAITING_APPROVAL', again.text);
    assert.equal((await approve(again.body.jobId, await granted(clientId, clientSecret))).status, 403);
    assert.equal((await approve(again.body.jobId, another)).body.status, 'COMPLETED');
  });

  it('does not let a retry keep a rule that the stage has no more', async () => {
    await rule({ allowOwn: true });
    const sent = await shop.bulk('upsert', items({ a: '10' }), { query: 'requireApproval=true' });
    await shop.post(`/jobs/${sent.body.jobId}/actions/reject`, {});
    await rule({ allowOwn: false });
    const again = await shop.post(`/jobs/${sent.body.jobId}/actions/retry`, {}, { headers: WAIT });
    assert.equal(again.body.status, 'AWAITING_APPROVAL', again.text);
    assert.equal((await approve(again.body.jobId, shop)).status, 403);
  });

  it('says of a job that is cancelled while it waits that nothing was written, and keeps nothing of its preview', async () => {
    const sent = await shop.bulk('upsert', items({ a: '10' }), { query: 'requireApproval=true' });
    const { jobId } = sent.body;
    await shop.post(`/jobs/${jobId}/actions/cancel`, {});
    const { statusMessage } = await waited(jobId);
    assert.equal(statusMessage, 'cancelled on request while it waited for an approval; nothing was written');
    assert.deepEqual(await world.db('preview_row').where({ job_id: jobId }), []);
  });

  it('is decided once, however many decide otherwise at the same time', async () => {
    for (let round = 0; round < 6; round++) {
      const sent = await shop.bulk('upsert', items({ a: `1${round}` }), { query: 'requireApproval=true' });
      const path = `/jobs/${sent.body.jobId}/actions`;
      await Promise.all([
        other.post(`${path}/approve`, {}),
        other.post(`${path}/reject`, {}),
        shop.post(`${path}/cancel`, {}),
        expireJobs(world.db, 'approval', 0),
      ]);
      const { status, updated } = await shop.outcome(sent.body.jobId);
      assert.equal((await prices()).a === `1${round}`, status === 'COMPLETED', status);
      assert.equal(updated, status === 'COMPLETED' ? 1 : (await shop.outcome(sent.body.jobId)).updated);
    }
  });

  it('writes files of any form as they were approved', async () => {
    const jsonl = ['d', 'e', 'f', 'g', 'a']
      .map((sku) => JSON.stringify({ sku, nodeName: 'Disk', attributes: { Price: '7' } }))
      .join('\n');
    const nested = JSON.stringify(items({ h: '8', i: '8', j: '8', k: '8', b: '8' }));
    const csv = 'SKU,Category Node,Price\nl,Disk,9\nm,Disk,9\nn,Disk,9\nc,Disk,9\nl,Disk,10\n';
    for (const [name, content, created, failed] of [
      ['x.jsonl', jsonl, 4, 0],
      ['x.json', nested, 4, 0],
      ['x.csv', csv, 3, 1],
      ['x.csv.gz', gzipSync(csv.replaceAll('Disk,9', 'Disk,11')), 0, 1],
    ] as const) {
      const id = await shop.upload(name, content, { requireApproval: true });
      assert.equal((await waited(id)).status, 'AWAITING_APPROVAL', name);
      const preview = (await waited(id)).progressTracker;
      assert.equal((await approve(id)).body.status.startsWith('COMPLETED'), true, name);
      const outcome = await shop.outcome(id);
      assert.deepEqual([outcome.created, outcome.failed], [created, failed], name);
      assert.deepEqual([preview.createdCount, preview.errorCount], [created, failed], name);
      assert.ok(
        outcome.errors.every(({ code }) => code !== 'CHANGED_SINCE_PREVIEW'),
        name,
      );
    }
  });

  it('changes attributes and categories by files of several chunks as they were approved', async () => {
    const names = ['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7'];
    for (const [type, content] of [
      [
        'ATTRIBUTE_IMPORT',
        `Attribute Title,Type of Attribute\n${names.map((name) => `${name},SHORT TEXT`).join('\n')}\n`,
      ],
      ['CATEGORY_IMPORT', `Category Path\n${names.join('\n')}\n`],
    ] as const) {
      const id = await shop.upload('x.csv', content, { requireApproval: true }, { type });
      const waiting = await waited(id);
      assert.equal(waiting.status, 'AWAITING_APPROVAL', JSON.stringify(waiting));
      assert.equal(waiting.progressTracker.createdCount, 7);
      assert.equal((await approve(id)).body.status, 'COMPLETED', type);
      assert.equal((await shop.outcome(id)).created, 7);
    }
    const made = await attributes();
    assert.ok(names.every((name) => made.includes(name)));
  });

  it('lets a file that goes on by itself end before its client is answered, and lists those that wait', async () => {
    await rule({ when: 'LARGE', items: 100 });
    const id = await shop.upload('x.csv', 'SKU,Price\na,5\nb,5\nc,5\nd,5\n');
    const job = await waited(id);
    assert.equal(job.status, 'COMPLETED_PARTIALLY');
    assert.deepEqual([job.progressTracker.updatedCount, job.progressTracker.errorCount], [3, 1]);
    await rule({ when: 'REQUESTED' });
    const waiting = await shop.upload('x.csv', 'SKU,Price\na,6\n', { requireApproval: true });
    await waited(waiting);
    const listed = await shop.ask('GET', '/jobs/product?status=AWAITING_APPROVAL');
    assert.deepEqual(
      listed.data.map((one: { id: string }) => one.id),
      [waiting],
    );
  });

  it('approves new items with numbers of a series, whatever numbers were given meanwhile', async () => {
    await shop.define({ attributes: [{ name: 'Number', type: 'SERIAL', serialStart: 100 }] });
    await shop.category('Disk', ['Title', 'Price', 'Number']);
    const rows = 'SKU,Category Node,Price\np,Disk,1\nq,Disk,2\nr,Disk,3\ns,Disk,4\n';
    const id = await shop.upload('x.csv', rows, { requireApproval: true });
    assert.equal((await waited(id)).status, 'AWAITING_APPROVAL');
    await shop.bulk('upsert', items({ t: '5' }));
    assert.equal((await approve(id)).body.status, 'COMPLETED');
    const numbers = Object.values(await shop.values('Number')).filter((number) => number !== undefined);
    assert.equal(new Set(numbers).size, 5);
  });

  it('shows variants and bundles before their parents as they happen', async () => {
    const rows = [
      { sku: 'set', nodeName: 'Disk', bundleItems: [{ sku: 'v2', quantity: 2 }] },
      { sku: 'v1', parentSku: 'top', attributes: { Title: 'x' } },
      { sku: 'v2', parentSku: 'top', attributes: { Title: 'y' } },
      { sku: 'top', nodeName: 'Disk', attributes: { Price: '3' } },
      { sku: 'v1', parentSku: 'top', attributes: { Title: 'z' } },
      { sku: 'a', parentSku: 'top' },
    ];
    for (const [name, content] of [
      ['x.json', JSON.stringify(rows)],
      ['x.jsonl', rows.map((row) => JSON.stringify(row).replaceAll(/"(set|v1|v2|top|a)"/g, '"other-$1"')).join('\n')],
    ] as const) {
      const id = await shop.upload(name, content, { requireApproval: true });
      const waiting = await waited(id);
      assert.equal(waiting.status, 'AWAITING_APPROVAL', JSON.stringify(waiting));
      const shown = (await shop.errors(id)).map(({ key, code }) => [key, code]);
      await approve(id);
      const outcome = await shop.outcome(id);
      assert.deepEqual(
        outcome.errors.map(({ key, code }) => [key, code]),
        shown,
      );
      assert.equal(outcome.created, waiting.progressTracker.createdCount, name);
    }
  });

  it('is not counted as ended while what was previewed runs already', async () => {
    const { jobId } = (await shop.bulk('upsert', items({ a: '10' }), { query: 'requireApproval=true' })).body;
    const followed: string[] = [];
    const follow = () => followEnd(world.db, JOB_TYPES, jobId, ({ outcome }) => followed.push(outcome));
    await follow();
    await world.db('job').where({ id: jobId }).update({ status: 'IN_PROGRESS' });
    await follow();
    await world.db('job').where({ id: jobId }).update({ status: 'AWAITING_APPROVAL' });
    assert.deepEqual(followed, ['AWAITING_APPROVAL']);
    assert.equal((await approve(jobId)).body.status, 'COMPLETED');
  });

  it('keeps nothing of a preview when its job is pruned', async () => {
    const { jobId } = (await shop.bulk('upsert', items({ a: '10' }), { query: 'requireApproval=true' })).body;
    await approve(jobId);
    const left = () => world.db('preview_row').where({ job_id: jobId });
    assert.equal((await left()).length, 1);
    await deleteJobs(world.db, [jobId], []);
    assert.deepEqual(await left(), []);
    assert.notEqual(await world.db('job').where({ id: jobId }).first(), undefined, 'its changes are kept');
  });

  it('writes rows with attributes that the job creates, together or one after another', async () => {
    for (const [onError, name] of [
      ['skip', 'Colour'],
      ['abort', 'Shade'],
    ] as const) {
      const file = await shop.hold(`SKU,Category Node,Price,${name}\na,Disk,1,red\n${name},Disk,2,blue\n`);
      const missing = {
        ...MISSING,
        attributes: [{ name, type: 'OPTIONS', options: ['red', 'blue'] }],
        assignments: [{ category: 'Disk', attributes: [name] }],
      };
      await shop.importHeld(file, { createMissing: CREATE, missing, options: { requireApproval: true, onError } });
      assert.equal((await waited(file.jobId)).status, 'AWAITING_APPROVAL');
      assert.equal((await approve(file.jobId)).body.status, 'COMPLETED', onError);
      const values = await shop.values(name);
      assert.deepEqual([values.a, values[name]], ['red', 'blue']);
    }
  });
});
