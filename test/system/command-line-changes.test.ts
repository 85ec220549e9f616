/** The command line and changes: what a job changed, the history of an item, and the feed. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { outcomeOf, type Run, run, start } from '../support/worlds/command-line.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { startWorld, type World } from '../support/worlds/world.js';

describe('the command line, and changes', function () {
  this.timeout(60_000);
  let world: World;
  let folder: OpenFolder;
  let shop: Shop;
  let job: string;

  before(async () => {
    world = await startWorld({ workers: true });
    folder = makeOpenFolder();
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { Disk: ['Title', 'Price'] },
    });
    mkdirSync(join(folder.path, '.data'));
    const credentials = { baseUrl: world.api.url, account: shop.account, token: shop.token };
    writeFileSync(join(folder.path, '.data', 'credentials.json'), JSON.stringify(credentials));
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Disk', attributes: { Title: 'One', Price: '5' } }]);
    const { body } = await shop.post('/api-product/v1/product/bulk/upsert', [
      { sku: 'a', attributes: { Price: '9' } },
      { sku: 'b', nodeName: 'Disk', attributes: { Title: 'Two' } },
    ]);
    job = body.jobId;
    await shop.outcome(job);
  });
  after(async () => {
    await world?.stop();
    folder?.remove();
  });

  const here = (...args: string[]): Promise<Run> =>
    run(args, { cwd: folder.path, env: { LONGSHORE_CONFIG_DIR: join(folder.path, 'config') } });

  it('sums up what a job changed, and lists the values before and after', async () => {
    const { code, stdout, stderr } = await here('jobs', 'changes', job);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^1 created, 1 updated, 0 deleted$/m);
    assert.match(stdout, /^ {2}Price: 1 changed, 1 by more than 50 %$/m);
    assert.match(stdout, /^a +1 +UPDATED +Price +5 +9$/m);
    assert.match(stdout, /^b +2 +CREATED/m);
  });

  it('writes the changes of a job into a file, and over no file that exists', async () => {
    const { code, stderr } = await here('jobs', 'changes', job, '-o', 'changes.csv');
    assert.equal(code, 0, stderr);
    assert.match(readFileSync(join(folder.path, 'changes.csv'), 'utf8'), /^a,UPDATED,1,Price,5,9$/m);
    assert.match((await here('jobs', 'changes', job, '-o', 'changes.csv')).stderr, /changes\.csv exists/);
    assert.match((await here('jobs', 'changes', job, '-o', 'changes.txt')).stderr, /ends in \.csv, \.jsonl or \.xlsx/);
  });

  it('tells the history of an item, newest first', async () => {
    const { stdout } = await here('history', 'a');
    const lines = stdout.split('\n').filter((line) => /UPDATED|CREATED/.test(line));
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? '', new RegExp(`token:.*${job}.*UPDATED +Price +5 +9`));
    assert.match((await here('history', 'nobody')).stderr, /There is no item "nobody"/);
  });

  it('imports what waits for an approval, and approves it with another token, or rejects it', async () => {
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'approver' });
    const by = (...args: string[]) =>
      here(...args, '--url', world.api.url, '--account', shop.account, '--token', token);
    writeFileSync(join(folder.path, 'prices.csv'), 'SKU,Price\na,20\nnobody,1\n');
    const waiting = async (): Promise<string> => {
      const { code, stdout, stderr } = await here('import', 'prices.csv', '--mode', 'update', '--require-approval');
      assert.equal(code, 3, stderr);
      assert.match(stdout, /^AWAITING_APPROVAL: 2 of 2 rows$/m);
      assert.match(stdout, /^would be: 0 created, 1 updated, 0 unchanged, 1 failed$/m);
      assert.match(stdout, /SKU_NOT_FOUND/);
      return /jobs approve (\S+)$/m.exec(stdout)?.[1] ?? assert.fail(stdout);
    };
    const first = await waiting();
    assert.match((await here('jobs', 'list', '--status', 'AWAITING_APPROVAL')).stdout, new RegExp(first));
    assert.match((await here('jobs', 'changes', first)).stdout, /^a +2 +UPDATED +Price +9 +20$/m);
    const own = await here('jobs', 'approve', first);
    assert.equal(own.code, 1);
    assert.match(own.stderr, /may not approve it/);
    const rejected = await by('jobs', 'reject', first, '--note', 'not these');
    assert.equal(rejected.code, 0, rejected.stderr);
    assert.match(rejected.stdout, /^REJECTED[\s\S]*not approved: not these; nothing was written/m);
    const second = await waiting();
    const approved = await by('jobs', 'approve', second, '--note', 'as agreed');
    assert.equal(approved.code, 2, approved.stderr);
    assert.match(approved.stdout, /^0 created, 1 updated, 0 unchanged, 1 failed$/m);
    assert.equal((await shop.item('a'))?.attributes.Price, '20');
  });

  it('reads the feed from a cursor to its end, and says the cursor to go on with', async () => {
    const now = /^cursor (\S+)$/m.exec((await here('changes')).stdout)?.[1] ?? assert.fail();
    await shop.bulk('upsert', [{ sku: 'a', attributes: { Title: 'New' } }]);
    const { stdout } = await here('changes', '--since', now);
    assert.match(stdout, /UPDATED {2}a {2}Title: One → New$/m);
    const next = /^cursor (\S+)$/m.exec(stdout)?.[1] ?? assert.fail();
    assert.doesNotMatch((await here('changes', '--since', next)).stdout, /UPDATED/);
    const { code, stderr } = await here('changes', '--since', 'nonsense');
    assert.equal(code, 1);
    assert.match(stderr, /is no cursor/);
  });

  it('exports what has changed since an earlier export, a time or a cursor', async () => {
    const first = await here('export', 'items', '--json', '-o', 'all.csv');
    assert.equal(first.code, 0, first.stderr);
    const { cursor } = await shop.ask('GET', '/changes/cursor');
    const time = new Date().toISOString();
    await shop.bulk('upsert', [{ sku: 'b', attributes: { Title: 'Other' } }]);
    for (const [nth, since] of [JSON.parse(first.stdout).job.id, time, cursor].entries()) {
      const file = `since-${nth}.csv`;
      const { code, stderr } = await here('export', 'items', '--since', since, '-o', file);
      assert.equal(code, 0, stderr);
      assert.match(readFileSync(join(folder.path, file), 'utf8'), /_operation\n[^\n]*,b,[^\n]*Other[^\n]*,UPSERT\n$/);
      assert.match(stderr, /What changes after this file: longshore export items --since [0-9a-f]{24}/);
    }
    assert.match((await here('export', 'items', '--since', 'nonsense', '-o', 'x.csv')).stderr, /is no cursor/);
  });

  it('lists what a job changed of definitions: how many, and each property before and after', async () => {
    const body = [{ name: 'Colour', type: 'OPTIONS', options: ['red'] }];
    const path = '/api-product/v1/product/attribute/bulk';
    await shop.outcome((await shop.post(path, body)).body.jobId);
    const changed = [{ name: 'Colour', action: 'UPDATE', options: ['red', 'blue'], validation: { required: true } }];
    const { jobId } = (await shop.post(`${path}?validateOnly=true`, changed)).body;
    await shop.outcome(jobId);
    const { code, stdout, stderr } = await here('jobs', 'changes', jobId);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^attributes: 0 created, 1 updated, 0 deleted$/m);
    assert.match(stdout, /^attribute Colour +UPDATED +options +\["red"\] +\["red","blue"\]$/m);
    assert.match(stdout, /^attribute Colour +UPDATED +validation\.required +true$/m);
    assert.doesNotMatch(stdout, /no items|nothing/);
    assert.equal((await here('jobs', 'changes', jobId, '-o', 'definitions.jsonl')).code, 0);
    const [line] = readFileSync(join(folder.path, 'definitions.jsonl'), 'utf8').split('\n');
    assert.equal(JSON.parse(line ?? '').definition, 'Colour');
  });

  it('follows the feed until it is interrupted, definitions with their names and values', async () => {
    const { path: cwd } = folder;
    const following = start(['changes', '--follow'], { cwd, env: { LONGSHORE_CONFIG_DIR: join(cwd, 'config') } });
    const ended = outcomeOf(following);
    let seen = '';
    following.stdout?.on('data', (text: string) => {
      seen += text;
    });
    const shows = (what: RegExp) => until(`it shows ${what}`, () => what.test(seen), 30_000);
    // What was changed before it has its first cursor is not shown: items are changed until one of them is.
    for (let n = 0; !/UPDATED {2}a {2}Title/.test(seen); n++) {
      await shop.bulk('upsert', [{ sku: 'a', attributes: { Title: `followed ${n}` } }]);
    }
    const [{ id }] = (await shop.ask('GET', '/api-category/v1/category?keyword=Disk')).data;
    await shop.ask('PUT', '/api-category/v1/category', { body: { id, order: 7 } });
    const itemAttributes = [{ action: 'SET', name: 'Colour' }];
    await shop.ask('POST', '/api-category/v1/category/item-attribute', { body: { id, itemAttributes } });
    await shows(/UPDATED {2}category Disk {2}order: \d+ → 7$/m);
    await shows(/CREATED {2}assignment of Colour to Disk {2}position: – → \d+$/m);
    following.kill('SIGINT');
    const { stdout, stderr } = await ended;
    assert.doesNotMatch(stderr, /Error|at .*\.js/);
    assert.match(stdout, /Title: followed \d+ → followed \d+$|Title: New → followed 0$/m);
  });
});
