/** Files that are empty, too large, lying about what they are, or made to hurt: refused as a whole, with a reason. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const MIB = 1024 * 1024;
const HEADER = 'SKU,Category Node,Title\n';

describe('files that cannot be used', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
  });
  after(() => world.stop());

  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const FILES: Readonly<
    Record<string, readonly [name: string, content: () => string | Buffer, reason: string, message: RegExp]>
  > = {
    'an empty CSV file': ['a.csv', () => '', 'EMPTY_FILE', /The file is empty/],
    'a byte order mark and nothing else': ['a.csv', () => '\ufeff', 'EMPTY_FILE', /empty/],
    'blank lines and nothing else': ['a.csv', () => '\n\r\n\r', 'EMPTY_FILE', /nothing but blank lines/],
    'an empty JSON file': ['a.json', () => ' \n', 'EMPTY_FILE', /empty/],
    'an empty JSONL file': ['a.jsonl', () => '', 'EMPTY_FILE', /empty/],
    'an empty gzip of nothing': ['a.csv.gz', () => gzipSync(''), 'EMPTY_FILE', /empty/],
    'a header without rows': ['a.csv', () => HEADER, 'NO_ROWS', /no rows. Add at least one/],
    'an empty array': ['a.json', () => '[]', 'NO_ROWS', /no rows/],
    'blank JSON lines': ['a.jsonl', () => '\n \n', 'NO_ROWS', /no rows/],
    'a cell of 10 MB': [
      'a.csv',
      () => `${HEADER}a,Disk,${'x'.repeat(10 * MIB)}\n`,
      'CELL_TOO_LONG',
      /Row 2.*1048576 bytes/,
    ],
    'a quoted cell of 10 MB': [
      'a.csv',
      () => `${HEADER}a,Disk,fine\nb,Disk,"${'x\n'.repeat(5 * MIB)}"\n`,
      'CELL_TOO_LONG',
      /Row 3.*close the quote/,
    ],
    'a quote left open before 10 MB of rows': [
      'a.csv',
      () => `${HEADER}a,Disk,"open\n${'b,Disk,x\n'.repeat(MIB)}`,
      'UNCLOSED_QUOTE',
      /opens in row 2/,
    ],
    'a row of 10 MB': [
      'a.json',
      () => `[{"sku":"a","attributes":{"Title":"${'x'.repeat(10 * MIB)}"}}]`,
      'ROW_TOO_LONG',
      /Row 1/,
    ],
    'a JSON line of 10 MB': ['a.jsonl', () => `{"sku":"${'x'.repeat(10 * MIB)}"}`, 'ROW_TOO_LONG', /Row 1/],
    'a gzip bomb': ['a.csv.gz', () => gzipSync(HEADER + 'a,Disk,x\n'.repeat(8 * MIB)), 'EXPANSION_RATIO', /200 times/],
    'a gzip bomb of JSON': [
      'a.json.gz',
      () => gzipSync(Buffer.alloc(64 * MIB, ' ')),
      'EXPANSION_RATIO',
      /uncompressed/,
    ],
    'a .gz that is none': ['a.csv.gz', () => `${HEADER}a,Disk,x\n`, 'NOT_GZIP', /ends in \.gz, but the file is not/],
    'a gzip file cut short': [
      'a.csv.gz',
      () => gzipSync(`${HEADER}${'a,Disk,x\n'.repeat(1000)}`).subarray(0, -12),
      'GZIP_DAMAGED',
      /damaged or incomplete/,
    ],
    'a gzip file without the ending': ['a.csv', () => gzipSync(HEADER), 'WRONG_FORMAT', /Let its name end in \.gz/],
    'a workbook called CSV': ['a.csv', () => Buffer.from('504b0304140000000800', 'hex'), 'WRONG_FORMAT', /ZIP or XLSX/],
    'JSON called CSV': ['a.csv', () => '[{"sku":"a"}]', 'WRONG_FORMAT', /Let its name end in \.json/],
    'an array called JSONL': ['a.jsonl', () => '[\n{"sku":"a"}\n]', 'WRONG_FORMAT', /end in \.json/],
    'a web page called CSV': ['a.csv', () => '<!DOCTYPE html><html></html>', 'WRONG_FORMAT', /XML or HTML/],
    'an object that is no array': ['a.json', () => '{"sku":"a"}', 'NOT_AN_ARRAY', /Put the rows into an array/],
    'JSON that ends too early': ['a.json', () => '[{"sku":"a"},', 'NOT_JSON', /ends at byte 13/],
    'JSON with something behind it': ['a.json', () => '[{"sku":"a"}] x', 'NOT_JSON', /more after the array/],
    'lines that are no JSON': [
      'a.jsonl',
      () => 'sku,title\na,b\n',
      'NOT_JSON',
      /No line of the file is JSON\. Row 1: at character 1 \(here: sku,title\) a value \(.*\) is expected\.$/,
    ],
    'JSON nested too deeply': ['a.json', () => `[{"sku":"a","x":${deep(40)}}]`, 'TOO_DEEP', /32 levels/],
    'JSON lines nested too deeply': ['a.jsonl', () => `{"sku":"a","x":${deep(40)}}`, 'TOO_DEEP', /Row 1/],
  };

  for (const [what, [name, content, reason, message]] of Object.entries(FILES)) {
    it(`${what}: ${reason}`, async () => {
      const outcome = await shop.importFile(name, content());
      assert.deepEqual([outcome.status, outcome.reason], ['REJECTED', reason], outcome.message);
      assert.match(outcome.message, message);
      assert.deepEqual([outcome.created, outcome.failed, outcome.errors.length, outcome.errorFile], [0, 0, 0, null]);
      assert.deepEqual(await shop.result(outcome.id), {
        jobId: outcome.id,
        success: [],
        failed: [],
        itemIds: [],
        offset: 0,
        limit: 1000,
        count: 0,
      });
    });
  }

  it('nothing of any of them is in the catalog', async () => {
    assert.deepEqual(await shop.items(), []);
  });

  it('a refused file leaves no copy of itself behind, and the next one goes through', async () => {
    const outcome = await shop.importFile('a.json', `[${JSON.stringify({ sku: 'a', nodeName: 'Disk' })}`);
    assert.equal(outcome.reason, 'NOT_JSON');
    const { fileStore } = world.api.services;
    assert.equal(await fileStore.size(`spools/${outcome.id}`), null);
    const next = await shop.importFile('a.json', `[${JSON.stringify({ sku: 'a', nodeName: 'Disk' })}]`);
    assert.equal(next.created, 1);
  });

  it('a broken line among good ones is an error of its row', async () => {
    const lines = '{"sku":"x1","nodeName":"Disk"}\n{"sku":"x2",\n\n{"sku":"x3","nodeName":"Disk"}\nnull\n';
    const outcome = await shop.importFile('a.jsonl', lines);
    assert.deepEqual(places(outcome), [
      [2, null, 'ROW_NOT_OBJECT'],
      [5, null, 'ROW_NOT_OBJECT'],
    ]);
    assert.equal(outcome.created, 2);
  });

  it('a broken element of an array is an error of its row, line breaks and all', async () => {
    const text =
      '[\n{"sku":"y1",\n"nodeName":"Disk"},\n{"sku" "y2"},\n{"sku":"y3\n"},\nnul,\n{"sku":"y4","nodeName":"Disk"}]';
    const outcome = await shop.importFile('a.json', text);
    assert.deepEqual(
      outcome.errors.map(({ row, code }) => [row, code]),
      [
        [2, 'ROW_NOT_OBJECT'],
        [3, 'ROW_NOT_OBJECT'],
        [4, 'ROW_NOT_OBJECT'],
      ],
    );
    assert.equal(outcome.created, 2);
  });

  it('a row with more wrong with it than anybody would read tells a hundred problems, and that there are more', async () => {
    const names = Array.from({ length: 40_000 }, (_, index) => [`No such attribute ${index}`, 'x']);
    const element = { sku: 'many', nodeName: 'Disk', attributes: Object.fromEntries(names) };
    const { status, body } = await shop.bulk('upsert', [element, { sku: 'fine', nodeName: 'Disk' }]);
    assert.deepEqual([status, body.success.length, body.failed[0].errors.length], [200, 1, 100]);
    assert.match(body.failed[0].errors.at(-1).message, /the row has further problems; correct these first/);
    assert.doesNotMatch(body.failed[0].errors[98].message, /further problems/);

    const fields = Object.fromEntries(names);
    const attributes = await shop.bulkAttributes([{ name: 'Odd', type: 'TEXT', ...fields }]);
    assert.equal(attributes.body.attributes.failed[0].errors.length, 100);

    const columns = Array.from({ length: 150 }, (_, index) => ({ name: `Number ${index}`, type: 'INTEGER' }));
    const headers = columns.map(({ name }) => name);
    await shop.define({ attributes: columns, categories: { Wide: headers } });
    const wide = await shop.importFile('w.csv', `SKU,Category Node,${headers.join(',')}\nw,Wide${',x'.repeat(150)}\n`);
    assert.deepEqual([wide.failed, wide.errors.length], [1, 100]);
    const { bytes } = await shop.download(wide.errorFile ?? '');
    const corrected = bytes.toString().replace(',x'.repeat(150), ',1'.repeat(150));
    assert.equal((await shop.importFile('w.csv', corrected)).created, 1);
  });
});
