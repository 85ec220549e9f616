/** The command line and whole stages: exported to an archive, and imported into others. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToken } from '../../src/domain/access/tokens.js';
import { Shop } from '../support/http/shop.js';
import { settled } from '../support/http/stages.js';
import { zipEntries } from '../support/models/zip-entries.js';
import { until } from '../support/until.js';
import { type Run, run } from '../support/worlds/command-line.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { startWorld, type World } from '../support/worlds/world.js';

describe('the command line, and whole stages', function () {
  this.timeout(120_000);
  let world: World;
  let folder: OpenFolder;
  let shop: Shop;

  before(async () => {
    world = await startWorld({ workers: true });
    folder = makeOpenFolder();
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    mkdirSync(join(folder.path, '.data'));
    const credentials = { baseUrl: world.api.url, account: shop.account, token: shop.token };
    writeFileSync(join(folder.path, '.data', 'credentials.json'), JSON.stringify(credentials));
    const profile = { fileType: 'ITEM_IMPORT', columns: [{ to: 'SKU', from: 'No' }] };
    await shop.ask('POST', '/import-profiles', { body: { name: 'Dealer', profile } });
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Disk', attributes: { Title: 'One' } }]);
  });
  after(async () => {
    await world?.stop();
    folder?.remove();
  });

  const here = (...args: string[]): Promise<Run> =>
    run(args, { cwd: folder.path, env: { LONGSHORE_CONFIG_DIR: join(folder.path, 'config') } });

  it('writes a stage to an archive with its name, and over no file that exists', async () => {
    const { code, stderr } = await here('stage', 'export');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /rows written to production\.zip/);
    const files = await zipEntries(readFileSync(join(folder.path, 'production.zip')));
    assert.match(files.get('items.jsonl') ?? '', /"sku":"a"/);
    assert.match((await here('stage', 'export')).stderr, /production\.zip exists/);
    assert.ok(!existsSync(join(folder.path, 'production.zip.part')));
  });

  it('copies it to an empty stage, and says what was created', async () => {
    const tried = await here('stage', 'import', 'production.zip', '--stage', 'copy', '--dry-run');
    assert.equal(tried.code, 0, tried.stderr);
    assert.match(tried.stdout, /attributes: would be 1 created, 0 updated, 0 unchanged/);
    assert.deepEqual(await shop.items({ stage: 'copy' }), []);
    const { code, stdout, stderr } = await here('stage', 'import', 'production.zip', '--stage', 'copy');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^COMPLETED: 1 of 1 row$/m);
    assert.match(stdout, /^categories: 2 created, 0 updated, 0 unchanged$/m);
    assert.equal((await shop.items({ stage: 'copy' })).length, 1);
    const changes = await here(
      'jobs',
      'changes',
      /job ([0-9a-f]{24})/.exec(stdout + stderr)?.[1] ?? '',
      '--stage',
      'copy',
    );
    assert.equal(changes.code, 0, changes.stderr);
    assert.match(changes.stdout, /^import profiles: 1 created, 0 updated, 0 deleted$/m);
    assert.match(changes.stdout, /^import profile Dealer +CREATED +fileType +ITEM_IMPORT$/m);
  });

  it('shows what it would change in a filled stage, and waits for its approval with --wait', async () => {
    await shop.bulk('update', [{ sku: 'a', attributes: { Title: 'Changed' } }]);
    const { code, stdout } = await here('stage', 'import', 'production.zip');
    assert.equal(code, 3);
    assert.match(stdout, /AWAITING_APPROVAL/);
    const job = /job ([0-9a-f]{24})/.exec(stdout)?.[1] ?? '';
    await shop.post(`/jobs/${job}/actions/reject`, {});
    assert.equal((await settled(shop, job)).status, 'REJECTED');

    const waiting = here('stage', 'import', 'production.zip', '--wait');
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'approves' });
    const other = new Shop(world.api, shop.account, token, shop.siteId);
    const due = () => world.db('job').where({ site_id: shop.siteId, status: 'AWAITING_APPROVAL' }).first('id');
    await until('it waits for an approval', async () => (await due()) !== undefined, 30_000);
    await other.post(`/jobs/${(await due()).id}/actions/approve`, {});
    const ended = await waiting;
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /^COMPLETED: 1 of 1 row$/m);
    assert.equal((await shop.item('a'))?.attributes.Title, 'One');
  });

  it('says what is wrong with a file that is no archive', async () => {
    writeFileSync(join(folder.path, 'no.zip'), 'x');
    const { code, stdout } = await here('stage', 'import', 'no.zip');
    assert.equal(code, 1);
    assert.match(stdout, /no archive of a stage that can be imported/);
  });
});
