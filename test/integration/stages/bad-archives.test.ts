/** Files that are no archive of a stage, or a hostile one: refused as a whole, and the message says why. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { archiveWith, exportStage, importStage, type StageArchive, zipOf } from '../../support/http/stages.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('a file that is no archive of a stage', function () {
  this.timeout(120_000);
  let world: World;
  let shop: Shop;
  let archive: StageArchive;
  before(async () => {
    world = await startWorld();
    await world.startWorkers();
    const full = await world.newShop();
    await full.define({ attributes: ['Title'], categories: { A: ['Title'] } });
    await full.bulk('insert', [{ sku: 'a', nodeName: 'A', attributes: { Title: 'x' } }]);
    archive = await exportStage(full);
    shop = await world.newShop();
  });
  after(() => world.stop());

  async function isRefused(bytes: Buffer, message: RegExp, reason = 'ARCHIVE_REFUSED'): Promise<void> {
    const job = await importStage(shop, bytes);
    assert.deepEqual([job.status, job.reason], ['REJECTED', reason], JSON.stringify(job));
    assert.match(job.statusMessage, message);
    for (const table of ['attribute', 'category', 'item']) {
      assert.deepEqual(await world.db(table).where({ site_id: shop.siteId }), [], table);
    }
  }
  const without = (name: string) => zipOf([...archive.files].filter(([one]) => one !== name));
  const withFile = (name: string, text: string) => zipOf([...archive.files, [name, text]]);

  it('is refused: it is no zip, or is cut off', async () => {
    await isRefused(Buffer.from('sku;title\na;b\n'), /no archive of a stage/);
    await isRefused(Buffer.alloc(0x10000), /no archive of a stage/);
    await isRefused(archive.bytes.subarray(0, archive.bytes.length - 200), /no archive of a stage/);
    await isRefused(archive.bytes.subarray(100), /no archive of a stage/);
  });

  it('is refused: it has no manifest, or one that cannot be read', async () => {
    await isRefused(await without('manifest.json'), /it has no manifest\.json/);
    await isRefused(await archiveWith(archive, {}, { format: 'one' }), /names no format/);
    await isRefused(await archiveWith(archive, {}, { files: [] }), /not as expected \(files/);
    const files = new Map([...archive.files, ['manifest.json', '{']] as [string, string][]);
    await isRefused(await zipOf(files), /manifest\.json is not JSON/);
  });

  it('is refused: a newer release has written it', async () => {
    await isRefused(
      await archiveWith(archive, {}, { format: 2 }),
      /of the format 2, and this release reads formats up to 1/,
    );
  });

  it('is refused: a file is missing, is besides, or is another one than the manifest says', async () => {
    await isRefused(await without('items.jsonl'), /it has no items\.jsonl/);
    await isRefused(await withFile('besides.txt', 'x'), /a file "besides\.txt" that does not belong to it/);
    const items = (archive.files.get('items.jsonl') ?? '').replace('"x"', '"y"');
    await isRefused(
      await zipOf(new Map([...archive.files, ['items.jsonl', items]])),
      /items\.jsonl is not what the checksum/,
    );
    const { files } = archive.manifest;
    const counted = files.map((file) => (file.kind === 'items' ? { ...file, rows: 7 } : file));
    await isRefused(
      await archiveWith(archive, {}, { files: counted }),
      /items\.jsonl has 1 rows, and the manifest says 7/,
    );
    const renamed = files.map((file) => (file.kind === 'items' ? { ...file, name: 'attributes.jsonl' } : file));
    await isRefused(await archiveWith(archive, {}, { files: renamed }), /does not name items\.jsonl once/);
  });

  it('is refused: it names a path outside of it, or a file twice', async () => {
    // yazl refuses such names, so that the bytes are changed afterwards.
    const outside = await withFile('aa/evil.txt', 'x');
    await isRefused(replaced(outside, 'aa/evil.txt', '../evil.txt'), /invalid relative path: \.\.\/evil\.txt/);
    await isRefused(replaced(outside, 'aa/evil.txt', '/aaevil.txt'), /absolute path: \/aaevil\.txt/);
    const twice = await withFile('itemz.jsonl', '{}\n');
    await isRefused(replaced(twice, 'itemz.jsonl', 'items.jsonl'), /two parts "items\.jsonl"/);
  });

  it('is refused: it unpacks to far more than it has', async () => {
    const bomb = `${'x'.repeat(1023)}\n`.repeat(64 * 1024);
    await isRefused(
      await archiveWith(archive, { 'items.jsonl': bomb }),
      /more than 200 times its size/,
      'EXPANSION_RATIO',
    );
  });

  it('is refused: a line says what no archive does, or an item comes twice', async () => {
    const evil = `{"name":"Title","action":"DELETE"}\n`;
    await isRefused(
      await archiveWith(archive, { 'attributes.jsonl': evil }),
      /attributes\.jsonl row 1 has a member "action"/,
      'DEFINITIONS_NOT_CREATED',
    );
    const items = archive.files.get('items.jsonl') ?? '';
    await isRefused(await archiveWith(archive, { 'items.jsonl': items + items }), /row 1 has the same SKU as row 2/);
    await isRefused(
      await archiveWith(archive, { 'webhooks.jsonl': '{"target":"file:///etc"}\n' }),
      /webhooks\.jsonl row 1: target/,
      'DEFINITIONS_NOT_CREATED',
    );
  });

  it('is refused when it is announced: by its name, its options, or for its token', async () => {
    const announce = (body: object, by = shop) => by.post('/files/product', body);
    const isInvalid = async (body: object, message: RegExp) => {
      const { status, text } = await announce(body);
      assert.equal(status, 400, text);
      assert.match(text, message);
    };
    await isInvalid({ fileName: 'stage.csv', fileType: 'SITE_IMPORT' }, /does not end in \.zip/);
    await isInvalid({ fileName: 'items.zip', fileType: 'ITEM_IMPORT' }, /no ending that can be imported/);
    const archived = { fileName: 'stage.zip', fileType: 'SITE_IMPORT' };
    await isInvalid({ ...archived, options: { mode: 'insert' } }, /options\.mode: does not apply to an archive/);
    await isInvalid({ ...archived, hold: true }, /hold: does not apply/);
    const { account, token } = await world.api.newAccount(['catalog:write', 'catalog:read']);
    const answer = await world.api.fetch('/files/product', {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        'x-site-context': JSON.stringify({ account }),
      },
      body: JSON.stringify(archived),
    });
    assert.equal(answer.status, 403, await answer.text());
  });
});

/** Other bytes of the same length in all places. */
function replaced(bytes: Buffer, from: string, to: string): Buffer {
  assert.equal(from.length, to.length);
  return Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1');
}
