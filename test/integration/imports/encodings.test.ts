/** Bytes into text: encodings are recognised or named, and what is not valid in them is refused. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const BOM = '\ufeff';
const TEXT = 'SKU,Category Node,Title\nä1,Disk,Größe 10 € „weit“\nb2,Disk,日本 😀\nc3,Disk,plain\nd4,Disk,\n';

describe('the encoding of a file', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
  });

  const titles = () => shop.values('Title');
  const utf16 = (text: string, bigEndian = false): Buffer => {
    const bytes = Buffer.from(text, 'utf16le');
    return bigEndian ? bytes.swap16() : bytes;
  };
  const EXPECTED = { b2: '日本 😀', c3: 'plain', d4: undefined, ä1: 'Größe 10 € „weit“' };

  for (const [name, bytes, options] of [
    ['UTF-8', Buffer.from(TEXT), {}],
    ['UTF-8 with a byte order mark', Buffer.from(BOM + TEXT), {}],
    ['UTF-8 with a mark that counts for more than the name', Buffer.from(BOM + TEXT), { encoding: 'windows-1252' }],
    ['UTF-16 with a mark, little-endian', utf16(BOM + TEXT), {}],
    ['UTF-16 with a mark, big-endian', utf16(BOM + TEXT, true), {}],
    ['UTF-16 by name, little-endian', utf16(TEXT), { encoding: 'utf-16le' }],
    ['UTF-16 by name, big-endian', utf16(TEXT, true), { encoding: 'UTF-16BE' }],
  ] as const) {
    it(`${name} is read`, async () => {
      const outcome = await shop.importFile('items.csv', bytes, options);
      assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 4], outcome.message);
      assert.deepEqual(await titles(), EXPECTED);
    });
  }

  for (const encoding of ['windows-1252', 'latin1', 'ISO-8859-1']) {
    it(`${encoding} by name is read, the euro sign too`, async () => {
      const bytes = Buffer.concat([
        Buffer.from('SKU,Category Node,Title\na,Disk,Gr\xf6\xdfe ', 'latin1'),
        Buffer.from([0x80, 0x84, 0x93, 0x0a]),
      ]);
      await shop.importFile('items.csv', bytes, { encoding });
      assert.deepEqual(await titles(), { a: 'Größe €„“' });
    });
  }

  it('encodings of other languages are read by name, by any of their names', async () => {
    const files: readonly [string, string, string][] = [
      ['ISO_8859-2', '5aa1b1', 'ZĄą'],
      ['cp1250', '5aa5b9', 'ZĄą'],
      ['Shift-JIS', '835c837c8358c3bd', 'ソポスﾃｽ'],
      ['gb2312', 'd6d0cec4', '中文'],
      ['Big5', 'b35ca55cbb5c', '許功蓋'],
      ['EUC-KR', 'c7d1b1b9', '한국'],
    ];
    for (const [index, [encoding, hex]] of files.entries()) {
      const head = Buffer.from(`SKU,Category Node,Title\ns${index},Disk,`);
      const outcome = await shop.importFile('items.csv', Buffer.concat([head, Buffer.from(hex, 'hex')]), { encoding });
      assert.equal(outcome.created, 1, outcome.message);
    }
    assert.deepEqual(await titles(), Object.fromEntries(files.map(([, , text], index) => [`s${index}`, text])));
  });

  it('bytes that mean nothing in the named encoding refuse the file and name the row', async () => {
    const bytes = Buffer.concat([
      Buffer.from('SKU,Category Node,Title\na,Disk,x\nb,Disk,'),
      Buffer.from('810a', 'hex'),
    ]);
    for (const encoding of ['shift_jis', 'windows-1250', 'gb18030']) {
      const outcome = await shop.importFile('items.csv', bytes, { encoding });
      assert.deepEqual([outcome.status, outcome.reason], ['REJECTED', 'INVALID_ENCODING']);
      assert.match(
        outcome.message,
        new RegExp(`Row 3 is not valid ${encoding.toUpperCase()}\\..* name the encoding that it has`),
      );
    }
  });

  it('an error file of a windows-1252 upload can be uploaded as it is, with the same options', async () => {
    const bytes = Buffer.from('SKU,Category Node,Title\n\xe4,Nowhere,\xfc\n', 'latin1');
    const outcome = await shop.importFile('items.csv', bytes, { encoding: 'windows-1252' });
    const { bytes: errors } = await shop.download(outcome.errorFile ?? '');
    const corrected = Buffer.from(errors.toString().replace('Nowhere', 'Disk'));
    assert.equal((await shop.importFile('items.csv', corrected, { encoding: 'windows-1252' })).created, 1);
    assert.deepEqual(await titles(), { ä: 'ü' });
  });

  it('bytes that are not UTF-8 refuse the file and name the first row at fault', async () => {
    const bytes = Buffer.concat([Buffer.from(`${TEXT}e5,Disk,`), Buffer.from([0xe4]), Buffer.from('\nf6,Disk,x\n')]);
    const outcome = await shop.importFile('items.csv', bytes);
    assert.deepEqual([outcome.status, outcome.reason], ['REJECTED', 'INVALID_ENCODING']);
    assert.match(
      outcome.message,
      /Row 6 is not valid UTF-8.*options\.encoding or in the profile, for example "windows-1252"/,
    );
    assert.deepEqual(await titles(), {});
  });

  it('UTF-16 cut in half, and half a surrogate pair in it, refuse the file', async () => {
    for (const bytes of [utf16(BOM + TEXT).subarray(0, -1), utf16(`${BOM}SKU,Title\na,\ud800\n`)]) {
      const outcome = await shop.importFile('items.csv', bytes);
      assert.deepEqual([outcome.status, outcome.reason], ['REJECTED', 'INVALID_ENCODING']);
    }
  });

  it('UTF-16 without a mark or a name is told as such', async () => {
    const outcome = await shop.importFile('items.csv', utf16(TEXT));
    assert.deepEqual([outcome.status, outcome.reason], ['REJECTED', 'WRONG_FORMAT']);
    assert.match(outcome.message, /UTF-16 without a byte order mark/);
  });

  it('an unknown encoding is refused when the file is announced', async () => {
    const body = { fileName: 'items.csv', fileType: 'ITEM_IMPORT', options: { encoding: 'ebcdic' } };
    const answer = await shop.call('POST', '/files/product', { body });
    assert.equal(answer.status, 400);
    assert.match(JSON.stringify(answer.body), /encoding.*ebcdic/);
  });

  it('JSON and JSONL in UTF-16, and each of them gzipped', async () => {
    const elements = ['ä', 'b', 'c'].map((sku) => ({ sku, nodeName: 'Disk', attributes: { Title: `€ ${sku}` } }));
    const array = JSON.stringify(elements);
    const lines = elements.map((element) => JSON.stringify(element)).join('\n');
    const files: [string, Buffer][] = [
      ['a.json', utf16(BOM + array)],
      ['b.jsonl', utf16(BOM + lines, true)],
      ['c.json.gz', gzipSync(Buffer.from(BOM + array))],
      ['d.ndjson.gz', gzipSync(utf16(BOM + lines))],
      ['e.csv.gz', gzipSync(utf16(`${BOM}SKU,Title\nä,€ ä\nb,€ b\nc,€ c`))],
    ];
    const ends: Outcome[] = [];
    for (const [name, bytes] of files) ends.push(await shop.importFile(name, bytes));
    assert.deepEqual(
      ends.map(({ created, unchanged }) => [created, unchanged]),
      [
        [3, 0],
        [0, 3],
        [0, 3],
        [0, 3],
        [0, 3],
      ],
    );
  });

  describe('text that is valid and cannot be stored', () => {
    it('NUL is an error of its row in CSV', async () => {
      const rows = 'SKU,Category Node,Title\na,Disk,x\u0000y\nb,Disk,fine\nc\u0000,Disk,\nd,Di\u0000sk,\n';
      const outcome = await shop.importFile('items.csv', rows);
      assert.deepEqual(places(outcome), [
        [2, 'Title', 'INVALID_TEXT'],
        [4, 'SKU', 'INVALID_TEXT'],
        [5, 'Category Node', 'NODE_NOT_FOUND'],
      ]);
      assert.deepEqual(await titles(), { b: 'fine' });
    });

    it('NUL and lone surrogates are errors of their rows in JSON, wherever they stand', async () => {
      const bad = [
        '{"sku":"a","nodeName":"Disk","attributes":{"Title":"\\u0000"}}',
        '{"sku":"b","nodeName":"Disk","attributes":{"Title":"\\ud83d"}}',
        '{"sku":"c\\ude00","nodeName":"Disk"}',
        '{"sku":"d","nodeName":"Di\\u0000sk"}',
        '{"sku":"e","nodeName":"Disk","parentSku":"\\ud800"}',
        '{"sku":"f","nodeName":"Disk","attributes":{"Ti\\u0000tle":"x"}}',
        '{"sku":"g","nodeName":"Disk","\\udfff":1}',
        '"\\ud800"',
        '{"sku":"h","nodeName":"Disk","attributes":{"Title":"\\ud83d\\ude00"}}',
      ];
      const expected = [
        [1, 'Title', 'INVALID_TEXT'],
        [2, 'Title', 'INVALID_TEXT'],
        [3, 'sku', 'INVALID_TEXT'],
        [4, 'nodeName', 'NODE_NOT_FOUND'],
        [5, 'parentSku', 'PARENT_NOT_FOUND'],
        [6, 'Ti\ufffdtle', 'ATTRIBUTE_NOT_FOUND'],
        [7, '\ufffd', 'FIELD_INVALID'],
        [8, null, 'ROW_NOT_OBJECT'],
      ];
      for (const [name, text] of [
        ['items.json', `[${bad.join(',\n')}]`],
        ['items.jsonl', bad.join('\n')],
      ] as const) {
        const outcome = await shop.importFile(name, text);
        assert.deepEqual(places(outcome), expected, name);
      }
      const { body } = await shop.bulk('upsert', `[${bad.join(',')}]`);
      assert.equal(body.failed.length, 8);
      assert.deepEqual(await titles(), { h: '😀' });
    });

    it('the error files of such rows can be read and mended', async () => {
      const outcome = await shop.importFile('items.csv', 'SKU,Category Node,Title\na,Disk,x\u0000y\n');
      const { bytes } = await shop.download(outcome.errorFile ?? '');
      const corrected = await shop.importFile('items.csv', bytes.toString().replaceAll('\u0000', ' '));
      assert.deepEqual([corrected.status, corrected.created], ['COMPLETED', 1]);
      assert.deepEqual(await titles(), { a: 'x y' });
    });
  });
});
