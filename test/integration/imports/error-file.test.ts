/** The error file: the rows that failed, in the input's own columns and format, ready to be mended and sent again. */
import assert from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { FileOptions, Outcome, Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const BOM = '\ufeff';

describe('the error file', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Stock', type: 'INTEGER' }, { name: 'Weight', type: 'DECIMAL' }],
      categories: { Disk: ['Title', 'Stock', 'Weight'] },
    });
  });

  const errorFile = async ({ errorFile: id }: Outcome): Promise<{ name: string; bytes: Buffer }> => {
    assert.ok(id !== null, 'there is an error file');
    return shop.download(id);
  };
  const text = async (outcome: Outcome): Promise<string> => (await errorFile(outcome)).bytes.toString();

  it('has the failed rows of a CSV file with what is wrong, and no others', async () => {
    const rows =
      'Title,SKU,Category Node,Stock\n"One, ""1""",a,Disk,1\n"Two\n2",b,Nowhere,many\nThree,c,Disk,3\n,d,Disk,x\n';
    const outcome = await shop.importFile('my items.csv', rows);
    const { name, bytes } = await errorFile(outcome);
    assert.equal(name, 'errors-my items.csv');
    const [b, c] = [outcome.errors[0]?.message, outcome.errors[1]?.message];
    const last = outcome.errors[2]?.message;
    assert.equal(
      bytes.toString(),
      `${BOM}Title,SKU,Category Node,Stock,_row,_column,_code,_message\r\n` +
        `"Two\n2",b,Nowhere,many,3,Category Node; Stock,NODE_NOT_FOUND; VALUE_TYPE,"${`${b}; ${c}`.replaceAll('"', '""')}"\r\n` +
        `,d,Disk,x,5,Stock,VALUE_TYPE,"${last?.replaceAll('"', '""')}"\r\n`,
    );
  });

  it('is told of with the job and is a file like any other', async () => {
    const outcome = await shop.importFile('items.csv', 'SKU,Category Node\na,Nowhere\n');
    const file = await shop.ask('GET', `/files/product/${outcome.errorFile}`);
    assert.deepEqual([file.id, file.type, file.name], [outcome.errorFile, 'ERROR_FILE', 'errors-items.csv']);
    const clean = await shop.importFile('items.csv', 'SKU,Category Node\na,Disk\n');
    assert.equal(clean.errorFile, null);
  });

  it('keeps surplus cells of a ragged row, and pads a short one', async () => {
    const outcome = await shop.importFile('items.csv', 'SKU;Category Node;Title\na;Disk\nb;Disk;x;"y;z";w\n');
    const [, first, second] = (await text(outcome)).split('\r\n');
    assert.match(first ?? '', /^a;Disk;;2;;ROW_FIELD_COUNT;.*;$/);
    assert.match(second ?? '', /^b;Disk;x;3;;ROW_FIELD_COUNT;.*;"""y;z"";w"$/);
  });

  it('leaves out rows that lost to another: sent again they would undo it', async () => {
    const outcome = await shop.importFile('items.csv', 'SKU,Category Node,Stock\na,Disk,1\nb,Disk,x\na,Disk,2\n');
    assert.equal(outcome.failed, 2);
    const lines = (await text(outcome)).trim().split('\r\n');
    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? '', /^b,/);
    const onlyDuplicates = await shop.importFile('items.csv', 'SKU,Stock\na,1\na,2\n');
    assert.deepEqual([onlyDuplicates.failed, onlyDuplicates.errorFile], [1, null]);
  });

  it('replaces the columns of an earlier error file with its own', async () => {
    const first = await shop.importFile('items.csv', 'SKU,Category Node,Stock\na,Nowhere,1\nb,Disk,x\n');
    const half = (await text(first)).replace('Nowhere', 'Disk');
    const second = await shop.importFile('errors-items.csv', half);
    assert.deepEqual([second.created, second.failed], [1, 1]);
    const lines = (await text(second)).trim().split('\r\n');
    assert.equal(lines[0], 'SKU,Category Node,Stock,_row,_column,_code,_message,_job');
    assert.match(lines[1] ?? '', /^b,Disk,x,3,Stock,VALUE_TYPE,/);
  });

  describe('mended by replacing cells and uploaded as it is, leaves no error', () => {
    const CSV = [
      ['SKU', 'Category Node', 'Title', 'Stock', 'Weight'],
      ['a', 'Disk', 'x, "y"\nz', '1', '1'],
      ['b', 'BAD', 'with, comma', '2', '2'],
      ['c', 'Disk', '', 'BAD', '3'],
      ['007', 'Disk', '\\NULL', '4', 'BAD'],
      ['e', 'Disk', ' blanks ', '5', '5'],
      ['BAD', 'Disk', 'f', '6', '6'],
      ['f', 'BAD', '=1+1', 'BAD', 'BAD'],
    ];
    const table = (delimiter: string) =>
      CSV.map((cells) =>
        cells
          .map((cell) => (cell === 'BAD' && cells[0] === 'BAD' ? '' : `"${cell.replaceAll('"', '""')}"`))
          .join(delimiter),
      ).join('\n');
    const ELEMENTS = [
      { sku: 'a', nodeName: 'Disk', attributes: { Title: 'x' } },
      { sku: 'b', nodeName: 'BAD', attributes: { Weight: '12345678901234567890.12' } },
      { sku: 'c', nodeName: 'Disk', attributes: { Stock: 'BAD' } },
      { sku: 'd', nodeName: 'Disk', attributeValues: [{ name: 'Weight', value: 'BAD' }] },
      { sku: '007', nodeName: 'BAD', _note: 'ignored' },
    ];
    /** The cell with which each bad one is replaced depends on its column. */
    const mendTable = (content: string, delimiter: string): string =>
      content
        .split('\r\n')
        .map((line) => {
          const cells = line.split(delimiter);
          if (cells.length < 5 || line.startsWith(BOM)) return line;
          if (cells[0] === '') cells[0] = 'sku-of-f';
          const good = ['', 'Disk', '', '6', '6.5'];
          return cells.map((cell, index) => (cell === 'BAD' ? good[index] : cell)).join(delimiter);
        })
        .join('\r\n');
    const mendJson = (content: string): string =>
      content.replaceAll(/("nodeName": ?)"BAD"/g, '$1"Disk"').replaceAll('"BAD"', '7');

    const FORMATS: [string, Buffer, FileOptions, (content: string) => string][] = [
      ['items.csv', Buffer.from(table(',')), {}, (content) => mendTable(content, ',')],
      ['items.csv', Buffer.from(table(';')), { delimiter: ';' }, (content) => mendTable(content, ';')],
      ['items.tsv', Buffer.from(table('\t')), {}, (content) => mendTable(content, '\t')],
      ['items.csv.gz', gzipSync(table('|')), {}, (content) => mendTable(content, '|')],
      ['items.json', Buffer.from(JSON.stringify(ELEMENTS, null, 2)), {}, mendJson],
      ['items.jsonl', Buffer.from(ELEMENTS.map((e) => JSON.stringify(e)).join('\r\n')), {}, mendJson],
      ['items.ndjson.gz', gzipSync(ELEMENTS.map((e) => JSON.stringify(e)).join('\n')), {}, mendJson],
      ['items.json.gz', gzipSync(JSON.stringify(ELEMENTS)), {}, mendJson],
    ];
    for (const [index, [name, content, options, mend]] of FORMATS.entries()) {
      it(`${name}${index === 1 ? ' with semicolons' : ''}`, async () => {
        const outcome = await shop.importFile(name, content, options);
        const failed = name.includes('json') ? 4 : 5;
        assert.deepEqual([outcome.status, outcome.failed], ['COMPLETED_PARTIALLY', failed], outcome.message);
        const { name: errorName, bytes } = await errorFile(outcome);
        assert.equal(errorName, `errors-${name}`);
        const zipped = name.endsWith('.gz');
        const corrected = mend((zipped ? gunzipSync(bytes) : bytes).toString());
        const again = await shop.importFile(errorName, zipped ? gzipSync(corrected) : corrected, options);
        assert.deepEqual(
          [again.status, again.failed, again.created],
          ['COMPLETED', 0, failed],
          JSON.stringify(again.errors),
        );
        assert.equal((await shop.items()).length, outcome.total ?? 0);
        if (name.includes('json')) {
          assert.equal((await shop.item('b'))?.attributes.Weight, '12345678901234567890.12');
        } else {
          assert.equal((await shop.item('007'))?.attributes.Title, 'NULL');
        }
      });
    }
  });

  it('of JSON keeps what is no object as text to be mended', async () => {
    const outcome = await shop.importFile('items.json', '[5, {"sku":"a","nodeName":"Disk"}, {"sku" "b"}]');
    const lines = JSON.parse(await text(outcome));
    assert.deepEqual(
      lines.map(({ _raw, _row, _code }: Record<string, unknown>) => [_raw, _row, _code]),
      [
        ['5', 1, 'ROW_NOT_OBJECT'],
        ['{"sku" "b"}', 3, 'ROW_NOT_OBJECT'],
      ],
    );
  });

  it('of JSONL keeps the element as it was written, digit for digit', async () => {
    const line = '{"sku":"a", "nodeName":"Nowhere","attributes":{"Weight":1.50, "Stock":12345678901234567890}}';
    const outcome = await shop.importFile('items.jsonl', line);
    const [first] = (await text(outcome)).split('\n');
    assert.ok(first?.startsWith(`${line.slice(0, -1)},"_row":1,"_column":"`), first);
  });

  it('is written a chunk at a time, whichever chunks have errors', async () => {
    const rows = Array.from({ length: 25 }, (_, index) => `s${index},Disk,${index % 7 === 3 ? 'x' : index}`);
    const outcome = await shop.importFile('items.csv', ['SKU,Category Node,Stock', ...rows].join('\n'));
    const keys = (await text(outcome))
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0]);
    assert.deepEqual(keys, ['s3', 's10', 's17', 's24']);
  });
});
