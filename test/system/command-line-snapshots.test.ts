/** The command line, and files that are the whole truth. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Shop } from '../support/http/shop.js';
import { type Run, run } from '../support/worlds/command-line.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { startWorld, type World } from '../support/worlds/world.js';

describe('the command line, and a file that is the whole truth', function () {
  this.timeout(60_000);
  let world: World;
  let folder: OpenFolder;
  let shop: Shop;

  before(async () => {
    world = await startWorld({ workers: true });
    folder = makeOpenFolder();
    shop = await (await world.newShop()).define({
      attributes: ['Title', 'Supplier'],
      categories: { 'A->A1': ['Title', 'Supplier'], B: ['Title', 'Supplier'] },
    });
    mkdirSync(join(folder.path, '.data'));
    const credentials = { baseUrl: world.api.url, account: shop.account, token: shop.token };
    writeFileSync(join(folder.path, '.data', 'credentials.json'), JSON.stringify(credentials));
    writeFileSync(join(folder.path, 'all.csv'), 'SKU,Category Node,Title\na,A->A1,One\n');
  });
  after(async () => {
    await world?.stop();
    folder?.remove();
  });
  beforeEach(async () => {
    const { body } = await shop.bulk('upsert', [
      { sku: 'a', nodeName: 'A->A1', attributes: { Title: 'One', Supplier: 'A=B' } },
      { sku: 'b', nodeName: 'A->A1', attributes: { Title: 'Two', Supplier: 'A=B' } },
      { sku: 'c', nodeName: 'B', attributes: { Title: 'Three', Supplier: 'C' } },
    ]);
    assert.deepEqual(body.failed, []);
  });

  const here = (...args: string[]): Promise<Run> =>
    run(args, { cwd: folder.path, env: { LONGSHORE_CONFIG_DIR: join(folder.path, 'config') } });
  const all = (...args: string[]) => here('import', 'all.csv', ...args);
  const any = ['--max-missing-percent', '100'];

  it('says that the brake holds, and then removes what the file lacks', async () => {
    const stopped = await all('--snapshot', 'category:A');
    assert.match(
      stopped.stdout + stopped.stderr,
      /1 of 2 items in the scope would go, and that is more than 5 percent/,
    );
    assert.equal((await shop.items()).length, 3);
    const { code, stdout, stderr } = await all('--snapshot', 'category:A', ...any, '--min-rows', '1');
    assert.equal(code, 0, stderr);
    assert.match(stdout + stderr, /1 item that the file lacks was deleted/);
    assert.deepEqual(
      (await shop.items()).map(({ sku }) => sku),
      ['a', 'c'],
    );
  });

  it('leaves what the brake stops to an approval, of nothing but that', async () => {
    await shop.ask('PATCH', '/site-settings', { body: { approval: { allowOwn: true } } });
    const { code, stdout, stderr } = await all('--snapshot', 'category:A', '--on-brake', 'approve');
    assert.equal(code, 3, stderr);
    assert.match(stdout, /\n0 created, 0 updated, 1 unchanged, 0 failed\n\nNothing is removed yet\. See what would go/);
    const [, id = ''] = /jobs approve (\S+)/.exec(stdout) ?? [];
    assert.equal((await shop.items()).length, 3);
    const approved = await here('jobs', 'approve', id);
    assert.equal(approved.code, 0, approved.stderr);
    assert.deepEqual(
      (await shop.items()).map(({ sku }) => sku),
      ['a', 'c'],
    );
    const older = await all('--snapshot', 'stage', '--on-brake', 'approve');
    const [, waiting = ''] = /jobs approve (\S+)/.exec(older.stdout) ?? [];
    assert.equal((await all('--snapshot', 'stage', ...any)).code, 0);
    const shown = await here('jobs', 'show', waiting);
    assert.match(shown.stdout, /superseded by job \w+, which is newer and complete in the same scope/);
    const late = await here('jobs', 'approve', waiting);
    assert.match(late.stderr, /does not wait for an approval: superseded by job/);
    const wrong = await all('--snapshot', 'category:A', '--on-brake', 'ask');
    assert.match(wrong.stderr, /Write stop or approve/);
  });

  it('sets and clears values', async () => {
    const scope = ['--snapshot', 'attribute:Supplier=A=B', ...any];
    assert.equal((await all(...scope, '--missing', 'set:Title=gone')).code, 0);
    assert.deepEqual(await shop.values('Title'), { a: 'One', b: 'gone', c: 'Three' });
    assert.equal((await all(...scope, '--missing', 'clear:Title, Supplier')).code, 0);
    assert.deepEqual(await shop.values('Supplier'), { a: 'A=B', b: undefined, c: 'C' });
  });

  it('removes what a feed has written', async () => {
    const connection = { kind: 'https', url: 'https://example.com/items.csv' };
    await shop.ask('POST', '/feeds', { body: { name: 'ERP', connection, fileType: 'ITEM_IMPORT' } });
    const own = ['--snapshot', 'feed:ERP', ...any];
    writeFileSync(join(folder.path, 'two.csv'), 'SKU,Category Node,Title\na,A->A1,One\nd,B,Four\n');
    assert.equal((await here('import', 'two.csv', ...own)).code, 0);
    const { code, stdout, stderr } = await all(...own);
    assert.equal(code, 0, stderr);
    assert.match(stdout + stderr, /1 item that the file lacks was deleted/);
    assert.deepEqual(
      (await shop.items()).map(({ sku }) => sku),
      ['a', 'b', 'c'],
    );
    assert.match((await all('--snapshot', 'feed:None')).stderr, /there is no feed "None" in this stage/);
  });

  it('refuses what means nothing, with what to write', async () => {
    const cases: [string[], RegExp][] = [
      [['--snapshot', 'all'], /Write stage, category:PATH, attribute:NAME=VALUE or feed:NAME/],
      [['--snapshot', 'attribute:Supplier'], /Write stage, category:PATH, attribute:NAME=VALUE or feed:NAME/],
      [['--snapshot', 'stage', '--missing', 'set:Title'], /Write delete, set:NAME=VALUE or clear:NAME,NAME/],
      [['--snapshot', 'stage', '--max-missing', 'few'], /Write a number/],
      [['--min-rows', '3'], /--min-rows .*: add --snapshot, or leave it out/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await all(...args);
      assert.notEqual(code, 0);
      assert.match(stderr, message);
    }
  });
});
