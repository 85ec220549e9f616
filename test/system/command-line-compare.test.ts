/** The command line and two stages: compared, what differs written to files, and carried over as a whole or in part. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallOptions, Shop } from '../support/http/shop.js';
import { type Place, type Run, run, signedIn } from '../support/worlds/command-line.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { startWorld, type World } from '../support/worlds/world.js';

const WAIT = { prefer: 'wait=25' };
const STAGING = { stage: 'staging' };

describe('the command line, and stages that are compared', function () {
  this.timeout(120_000);
  let world: World;
  let folder: OpenFolder;
  let shop: Shop;
  let place: Place;

  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world?.stop());
  beforeEach(async () => {
    folder = makeOpenFolder();
    shop = await world.newShop();
    place = signedIn(folder.path, { baseUrl: world.api.url, account: shop.account, token: shop.token });
    const values = { Title: 'One', Price: '5' };
    const both = [
      { sku: 'a', nodeName: 'Disk', attributes: values },
      { sku: 'b', nodeName: 'Disk', attributes: values },
    ];
    for (const context of [undefined, STAGING]) {
      await send('/api-product/v1/product/attribute/bulk', attributesOf(context), context);
      const itemAttributes = [{ name: 'Title' }, { name: 'Price' }];
      await send('/api-category/v1/category/bulk/upsert', [{ path: 'Disk', itemAttributes }], context);
      await send('/api-product/v1/product/bulk/insert', both, context);
    }
    const changed = [
      { sku: 'a', attributes: { Price: '6' } },
      { sku: 'b', attributes: { Title: 'Two' } },
      { sku: 'new', nodeName: 'Disk' },
    ];
    await send('/api-product/v1/product/bulk/upsert', changed, STAGING);
  });
  afterEach(() => folder?.remove());

  const attributesOf = (context: CallOptions['context']) => [
    { name: 'Title', type: 'TEXT' },
    { name: 'Price', type: 'DECIMAL', description: context === undefined ? 'net' : 'gross' },
  ];
  async function send(path: string, body: unknown, context: CallOptions['context']): Promise<void> {
    const { status, text } = await shop.call('POST', path, { body, headers: WAIT, ...(context ? { context } : {}) });
    assert.equal(status, 200, text);
  }
  const here = (...args: string[]): Promise<Run> => run(args, place);
  const compared = async (): Promise<string> => {
    const { code, stdout, stderr } = await here('stage', 'compare', 'staging');
    assert.equal(code, 0, stderr);
    return /job ([0-9a-f]{24})/.exec(stdout)?.[1] ?? assert.fail(stdout);
  };
  const values = async () =>
    (await shop.items()).map(({ sku, attributes }) => [sku, attributes.Title, attributes.Price]);

  it('shows what differs, definitions first, and writes it into a file', async () => {
    const job = await compared();
    const { stdout, code } = await here('jobs', 'changes', job);
    assert.equal(code, 0);
    assert.match(stdout, /^attributes: 0 created, 1 updated, 0 deleted$/m);
    assert.match(stdout, /^items: 1 created, 2 updated, 0 deleted$/m);
    assert.match(stdout, /^attribute Price +UPDATED +description +net +gross$/m);
    assert.match(stdout, /^a +\d+ +UPDATED +Price +5 +6$/m);
    assert.equal((await here('jobs', 'changes', job, '-o', 'differences.csv')).code, 0);
    const lines = readFileSync(join(folder.path, 'differences.csv'), 'utf8').split('\n');
    assert.match(lines[1] ?? '', /^attribute,Price,,UPDATED,,description,net,gross$/);
    assert.equal((await here('jobs', 'changes', job, '-o', 'differences.xlsx')).code, 0);
    assert.deepEqual(await values(), [
      ['a', 'One', '5'],
      ['b', 'One', '5'],
    ]);
  });

  it('says how many items would be deleted, as their changes do', async () => {
    await send('/api-product/v1/product/bulk/delete', { skus: ['b'] }, STAGING);
    const { stdout } = await here('stage', 'compare', 'staging');
    const job = /job ([0-9a-f]{24})/.exec(stdout)?.[1] ?? assert.fail(stdout);
    // The third is the attribute.
    const counts = '1 created, 2 updated, 1 deleted, 0 unchanged, 0 failed';
    assert.match(stdout, new RegExp(`^${counts}$`, 'm'));
    assert.match((await here('jobs', 'changes', job)).stdout, /^items: 1 created, 1 updated, 1 deleted$/m);
    assert.match((await here('jobs', 'show', job)).stdout, new RegExp(`^${counts}$`, 'm'));
    for (const how of ['--dry-run', '--require-approval']) {
      const promoted = await here('stage', 'promote', job, '--definitions', 'none', how);
      assert.match(promoted.stdout, /1 created, 1 updated, 1 deleted, 0 unchanged, 0 failed$/m);
    }
  });

  it('says that there is no such stage', async () => {
    const { code, stderr } = await here('stage', 'compare', 'nowhere');
    assert.equal(code, 1);
    assert.match(stderr, /nowhere/);
  });

  it('carries all of it over, after a dry run that changes nothing', async () => {
    const job = await compared();
    const dry = await here('stage', 'promote', job, '--definitions', 'all', '--dry-run');
    assert.equal(dry.code, 0, dry.stderr);
    assert.equal((await shop.items()).length, 2);
    const { code, stderr } = await here('stage', 'promote', job, '--definitions', 'all');
    assert.equal(code, 0, stderr);
    assert.deepEqual(await values(), [
      ['a', 'One', '6'],
      ['b', 'Two', '5'],
      ['new', undefined, undefined],
    ]);
    assert.match((await here('jobs', 'changes', await compared())).stdout, /^The job changed nothing\.$/m);
  });

  it('carries over some items only: by SKU, by what would be done with them, and by what differs', async () => {
    const job = await compared();
    const promote = (...args: string[]) => here('stage', 'promote', job, '--definitions', 'none', ...args);
    assert.equal((await promote('--operation', 'updated', '--attribute', 'Price')).code, 0);
    assert.deepEqual(await values(), [
      ['a', 'One', '6'],
      ['b', 'One', '5'],
    ]);
    assert.equal((await promote('--operation', 'created')).code, 0);
    assert.equal((await shop.items()).length, 3);
    assert.equal((await promote('--sku', 'b')).code, 0);
    assert.deepEqual((await values())[1], ['b', 'Two', '5']);
    const wrong = await promote('--operation', 'renamed');
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /created, updated, deleted/);
  });

  it('lets a promotion wait for an approval', async () => {
    const { code, stdout } = await here('stage', 'promote', await compared(), '--require-approval', '--sku', 'a');
    assert.equal(code, 3, stdout);
    assert.match(stdout, /AWAITING_APPROVAL/);
    assert.equal((await shop.item('a'))?.attributes.Price, '5');
  });
});
