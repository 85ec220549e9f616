/** Values come out as they went in: text stays text, decimals stay exact, and nothing is guessed. */
import assert from 'node:assert/strict';
import { withReaderOfRun } from '../../support/for-each-reader.js';
import { type FileOptions, type Outcome, places, type Shop } from '../../support/http/shop.js';
import { DISK, SAMPLE_CATALOG } from '../../support/models/sample-catalog.js';
import { startWorld, type World } from '../../support/worlds/world.js';

withReaderOfRun('values', (environment) => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, environment });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define(SAMPLE_CATALOG);
  });

  /** Imports one value an item; the SKUs are a, b, c, … */
  const importColumn = (name: string, cells: readonly string[], options?: FileOptions): Promise<Outcome> => {
    const rows = cells.map((cell, index) => `${sku(index)};${DISK};"${cell.replaceAll('"', '""')}"`);
    return shop.importFile('items.csv', [`SKU;Category Node;${name}`, ...rows].join('\n'), options);
  };
  const sku = (index: number) => String.fromCharCode(97 + index);
  const column = async (name: string) => Object.values(await shop.values(name));

  it('leading zeros, blanks and long digits of a text survive', async () => {
    const cells = ['0012', '00000000000000000000', '4006381333931', '1e5', ' 7 ', '1,800.50', 'TRUE', '2024-01-01'];
    assert.equal((await importColumn('Title', cells)).failed, 0);
    assert.deepEqual(await column('Title'), cells);
  });

  it('a decimal has the separator of its job, and nothing is read as thousands', async () => {
    const comma = await importColumn('Weight', ['1800,50', '1.800,50', '1.800', '0,1', '1800', '1 800,5', ',5'], {
      decimalSeparator: ',',
    });
    assert.deepEqual(places(comma), [
      [3, 'Weight', 'VALUE_TYPE'],
      [4, 'Weight', 'VALUE_TYPE'],
      [7, 'Weight', 'VALUE_TYPE'],
    ]);
    assert.match(comma.errors[0]?.message ?? '', /decimal separator is ",".*write it like 1800,50/);
    assert.deepEqual(await column('Weight'), ['1800.5', '0.1', '1800', '0.5']);

    const point = await importColumn('Weight', ['1,800.50', '1800,50', '1800.50', '1.800,50'], { mode: 'upsert' });
    assert.deepEqual(places(point), [
      [2, 'Weight', 'VALUE_TYPE'],
      [3, 'Weight', 'VALUE_TYPE'],
      [5, 'Weight', 'VALUE_TYPE'],
    ]);
  });

  it('decimals of any length are exact, in a file, in JSON and when they are read', async () => {
    const cells = [
      '12345678901234567890.123456789',
      '-0.1234567890123456789',
      '0.1',
      '100000000000000000000000000000',
      '1.50',
      '-0',
      '+7',
      '1e-30',
      '9'.repeat(1000),
    ];
    const expected = [
      '12345678901234567890.123456789',
      '-0.1234567890123456789',
      '0.1',
      '100000000000000000000000000000',
      '1.5',
      '0',
      '7',
      `0.${'0'.repeat(29)}1`,
      '9'.repeat(1000),
    ];
    assert.equal((await importColumn('Weight', cells)).failed, 0);
    assert.deepEqual(await column('Weight'), expected);
    const elements = cells.map((value, index) => ({ sku: sku(index), attributes: { Weight: value } }));
    const { body } = await shop.bulk('update', elements);
    assert.deepEqual(new Set(body.success.map(({ message }: { message: string }) => message)), new Set(['unchanged']));
  });

  it('numbers of JSON keep the digits that they were sent with', async () => {
    const numbers = ['1.5', '-0', '1e3', '123456789012345', '9007199254740993', '1e400', '-1e999', '0.1'];
    const elements = numbers.map(
      (number, index) => `{"sku":"${sku(index)}","nodeName":"${DISK}","attributes":{"Weight":${number}}}`,
    );
    const { body } = await shop.bulk('insert', `[${elements.join(',')}]`);
    assert.deepEqual(body.failed, []);
    const exact = [
      '1.5',
      '0',
      '1000',
      '123456789012345',
      '9007199254740993',
      `1${'0'.repeat(400)}`,
      `-1${'0'.repeat(999)}`,
      '0.1',
    ];
    assert.deepEqual(await column('Weight'), exact);
  });

  it('what is no node id, no channel, or given twice, is told as it was written', async () => {
    const told = async (fields: string): Promise<string[]> => {
      const { body } = await shop.bulk('upsert', `[{"sku":"odd",${fields}}]`);
      return (await shop.errors(body.jobId)).map(({ code, column, message }) => `${code} ${column}: ${message}`);
    };
    const nodeId = (number: string) =>
      `NODE_NOT_FOUND nodeId: there is no category with the node id ${number}, because node ids are whole numbers: correct it`;
    assert.deepEqual(await told('"nodeId":1e400'), [nodeId('1e400')]);
    assert.deepEqual(await told('"nodeId":2.0000000000000000001'), [nodeId('2.0000000000000000001')]);
    const row = `"nodeName":"${DISK}"`;
    assert.deepEqual(await told(`${row},"channels":[1,1.0000000000000000001]`), [
      'VALUE_TYPE channels: "channels" must be a list of whole numbers, and the number 1.0000000000000000001 is none',
    ]);
    assert.deepEqual(await told(`${row},"channels":[]`), [
      'VALUE_TYPE channels: "channels" must be a list of numbers, or null for all channels, got an empty list',
    ]);
    // Nothing is said about the entry that lacks the member.
    for (const [field, entry] of [
      ['bundleItems', '{"sku":"a","quantity":1,"quantity":2}'],
      ['attributeValues', '{"name":"Title","value":"a","value":"b"}'],
    ]) {
      const [problem = '', ...more] = await told(`${row},"${field}":[${entry}]`);
      assert.match(problem, /^DUPLICATE_MEMBER /);
      assert.deepEqual(more, []);
    }
    const { body } = await shop.bulkCategories('[{"name":"Odd","order":1.0000000000000000001}]');
    const [{ message } = { message: '' }] = await shop.errors(body.jobId);
    assert.match(message, /^order cannot be kept as it is written, "1\.0{18}1": write at most 15 digits$/);
  });

  it('huge numbers are errors of their rows', async () => {
    const outcome = await importColumn('Weight', ['1e131072', '1e-16384', '9'.repeat(1001), '1e999999999999', '5']);
    assert.deepEqual(
      outcome.errors.map(({ row, code }) => [row, code]),
      [2, 3, 4, 5].map((row) => [row, 'VALUE_RANGE']),
    );
    const integers = await importColumn('Stock', ['9007199254740991', '9007199254740992', '1e3', '-9007199254740993']);
    assert.deepEqual(
      integers.errors.map(({ row, code }) => [row, code]),
      [
        [3, 'VALUE_RANGE'],
        [4, 'VALUE_TYPE'],
        [5, 'VALUE_RANGE'],
      ],
    );
    assert.equal((await column('Stock'))[0], 9007199254740991);
  });

  it('dates have the format of the job, beside ISO; two-digit years are no dates', async () => {
    const cells = ['31.01.2024', '1.2.2024', '2024-02-29', '29.02.2023', '01.02.24', '01/02/2024'];
    const outcome = await importColumn('Released', cells, { dateFormat: 'dd.MM.yyyy' });
    assert.deepEqual(
      outcome.errors.map(({ row }) => row),
      [5, 6, 7],
    );
    assert.deepEqual(await column('Released'), ['2024-01-31', '2024-02-01', '2024-02-29']);
  });

  it('an attribute’s own date format counts for more than the job’s', async () => {
    await shop.define({
      attributes: [{ name: 'Sold', type: 'DATETIME', format: 'MM/dd/yyyy HH:mm' }],
      categories: { [DISK]: ['Sold'] },
    });
    await importColumn('Sold', ['12/31/2024 23:59'], { dateFormat: 'dd.MM.yyyy' });
    assert.deepEqual(await column('Sold'), ['2024-12-31T23:59:00.000Z']);
  });

  it('instants are stored in UTC', async () => {
    await importColumn('Released', ['2024-01-31T10:00:00+02:00', '2024-01-31 10:00', '2024-12-31T23:30:00-01:00']);
    assert.deepEqual(await column('Released'), [
      '2024-01-31T08:00:00.000Z',
      '2024-01-31T10:00:00.000Z',
      '2025-01-01T00:30:00.000Z',
    ]);
  });

  it('booleans have six spellings in files and one in JSON', async () => {
    const outcome = await importColumn('Fragile', ['true', 'YES', '1', 'False', 'no', '0', 'on', 'wahr']);
    assert.deepEqual(
      outcome.errors.map(({ row }) => row),
      [8, 9],
    );
    assert.deepEqual(await column('Fragile'), [true, true, true, false, false, false]);
    const { body } = await shop.bulk('update', [{ sku: 'a', attributes: { Fragile: 'true' } }]);
    assert.equal(body.errors[0].code, 'VALUE_TYPE');
  });

  it('options are matched as they are written', async () => {
    const outcome = await importColumn('Colour', ['red', 'Red', ' red']);
    assert.deepEqual(
      outcome.errors.map(({ row, code, value }) => [row, code, value]),
      [
        [3, 'VALUE_NOT_IN_OPTIONS', 'Red'],
        [4, 'VALUE_NOT_IN_OPTIONS', ' red'],
      ],
    );
  });

  it('a text of exactly 64 kB is kept to the byte', async () => {
    const text = 'ä'.repeat(32_768);
    assert.equal((await importColumn('Title', [text, `${text}x`])).failed, 1);
    assert.deepEqual(await column('Title'), [text]);
  });

  it('text with everything that COPY, JSON and SQL find special comes back the same', async () => {
    const texts = [
      '\\N',
      'a\\tb\\\\c\\',
      'tab\there',
      "it's; DROP TABLE item;--",
      '{"a":"b"}',
      '\u2028\u2029\u007f\u0085',
      '\ufeffx',
      '\b\f\v\u0001',
      '\\u0000',
      '$1 ? ?? :x',
      '\\.',
    ];
    assert.equal((await importColumn('Title', texts)).failed, 0);
    assert.deepEqual(await column('Title'), texts);
    const elements = texts.map((text) => ({ sku: `${text}!`, nodeName: DISK, attributes: { Title: text } }));
    const { body } = await shop.bulk('insert', elements);
    assert.equal(body.success?.length, texts.length, JSON.stringify(body));
    for (const { sku: key, attributes } of elements) {
      const { data } = await shop
        .ask('POST', '/api-product/v1/product/bulk/update', {
          body: [{ sku: key, attributes }],
          headers: { prefer: 'wait=20' },
        })
        .then(() => shop.ask('GET', `/api-product/v1/product?skus=${encodeURIComponent(key.replaceAll(',', '\\,'))}`));
      assert.deepEqual(data[0]?.attributes, attributes);
    }
  });
});
