/** Files of attributes with something in every column: what the template has a place for comes back from an export. */
import assert from 'node:assert/strict';
import { exportFile } from '../../support/http/exporting.js';
import type { Outcome, Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const HEADER =
  'Attribute Title,Type of Attribute,Description,Decimal,Min,Max,Date Format,' +
  'Mandatory,Start With,Increment by,Value 1,Value 2,Value 3,Value 4,Value 5,' +
  'Unique,Inheritable,Pattern,Max Length,Contains,Locales';

/** Exports have the columns of the interface, those that nothing is stored in as well. */
const EXPORTED =
  'Attribute Title,Type of Attribute,Description,Decimal,Min,Max,Date Format,Calculation Formula,Validation Formula,' +
  'Mandatory,Start With,Increment by,Method,Size,Value 1,Value 2,Value 3,Value 4,Value 5,' +
  'Unique,Inheritable,Pattern,Max Length,Contains,Locales';

/** Rows as people write them: some columns of each type. */
const ROWS: readonly Readonly<Record<string, string>>[] = [
  {
    'Attribute Title': '  Title ',
    'Type of Attribute': 'short text',
    Description: 'What it is called; "quoted",\nin two lines',
    Mandatory: 'yes',
    Inheritable: '1',
    Pattern: '^[A-Z].*$',
    'Max Length': '80',
    'Start With': 'A',
    Contains: ' b ',
    Locales: 'de-DE: Titel; fr-FR: Titre\\; nom',
  },
  { 'Attribute Title': '\\NULL', 'Type of Attribute': 'LONG TEXT', 'Value 1': '\\NULL', 'Value 3': '\\\\x' },
  { 'Attribute Title': 'Markup', 'Type of Attribute': 'HTML', Description: '<b>&amp;</b>' },
  {
    'Attribute Title': 'Price',
    'Type of Attribute': 'NUMBER',
    Decimal: 'TRUE',
    Min: '-0.50',
    Max: '12345678901234567890.5',
    'Value 1': '0.10',
    'Value 2': '7',
  },
  { 'Attribute Title': 'Stock', 'Type of Attribute': 'NUMBER', Decimal: 'FALSE', Min: '0', 'Value 1': '007' },
  { 'Attribute Title': 'Fragile', 'Type of Attribute': 'BOOLEAN', Inheritable: 'TRUE' },
  {
    'Attribute Title': 'Since',
    'Type of Attribute': 'DATE',
    'Date Format': 'dd.MM.yyyy HH:mm',
    Min: '2020-01-01',
    Max: '2030-12-31T10:00:00+02:00',
    'Value 1': '2024-02-29',
  },
  { 'Attribute Title': 'Number', 'Type of Attribute': 'SERIAL', 'Start With': '1000', 'Increment by': '5' },
  { 'Attribute Title': 'Colour', 'Type of Attribute': 'LOV', 'Value 1': 'red', 'Value 4': ' blue ', 'Value 5': '1.0' },
  { 'Attribute Title': 'Size', 'Type of Attribute': 'LOV', Decimal: 'TRUE', 'Value 1': '0.50', 'Value 2': '10' },
  { 'Attribute Title': 'Seats', 'Type of Attribute': 'LOV', Decimal: 'FALSE', 'Value 1': '02', 'Value 2': '4' },
  { 'Attribute Title': 'Gtin', 'Type of Attribute': 'SHORT TEXT', Unique: 'TRUE', Mandatory: 'TRUE' },
];

const FORMATS = [
  { format: 'CSV', decimalSeparator: ',', delimiter: ';' },
  { format: 'JSONL' },
  { format: 'XLSX' },
] as const;

const UNLIKE = new Set(['id', 'createdOn', 'modifiedOn']);

const isSet = (value: unknown) => value !== null && !(Array.isArray(value) && value.length === 0);

describe('attribute files', function () {
  this.timeout(60_000);
  let world: World;

  before(async () => {
    world = await startWorld();
    await world.startWorkers();
  });
  after(() => world.stop());

  const importAs = (shop: Shop, name: string, bytes: Buffer | string, options = {}): Promise<Outcome> =>
    shop.importFile(name, bytes, options, { type: 'ATTRIBUTE_IMPORT' });
  /** What is shown of the attributes, but for ids, times and what is not set. */
  const list = async (shop: Shop): Promise<Record<string, unknown>[]> =>
    (await shop.ask('GET', '/api-product/v1/product/attribute?limit=100')).data.map((shown: object) =>
      Object.fromEntries(Object.entries(shown).filter(([field, value]) => isSet(value) && !UNLIKE.has(field))),
    );

  it('have the columns of the template, each of which is read', async () => {
    const shop = await world.newShop();
    const template = await shop.call('POST', '/attribute-import-templates');
    assert.equal(template.bytes.toString('utf8'), `\uFEFF${HEADER}\r\n`);
    const columns = HEADER.split(',');
    const quoted = (cell: string) => (cell === '' ? '' : `"${cell.replaceAll('"', '""')}"`);
    const lines = ROWS.map((row) => columns.map((column) => quoted(row[column] ?? '')).join(','));
    const read = await importAs(shop, 'a.csv', `${template.bytes}${lines.join('\r\n')}`);
    assert.deepEqual([read.status, read.created], ['COMPLETED', ROWS.length], JSON.stringify(read.errors));
    const made = new Map((await list(shop)).map(({ name, ...rest }) => [name, rest]));
    assert.deepEqual(made.get('Title'), {
      type: 'TEXT',
      textSubType: 'SMALL_TEXT',
      description: 'What it is called; "quoted",\nin two lines',
      locales: [
        { locale: 'de-DE', name: 'Titel' },
        { locale: 'fr-FR', name: 'Titre; nom' },
      ],
      validation: {
        required: true,
        inheritable: true,
        contains: ' b ',
        startWith: 'A',
        pattern: '^[A-Z].*$',
        maxLength: 80,
      },
    });
    const texts = { oneOf: ['NULL', '\\x'] };
    assert.deepEqual(made.get('NULL'), { type: 'TEXT', textSubType: 'TEXT_AREA', validation: texts });
    const prices = { range: { min: -0.5, max: '12345678901234567890.5' }, oneOf: ['0.1', '7'] };
    assert.deepEqual(made.get('Price'), { type: 'DECIMAL', validation: prices });
    const dates = { range: { min: '2020-01-01', max: '2030-12-31T08:00:00.000Z' }, oneOf: ['2024-02-29'] };
    assert.deepEqual(made.get('Since'), { type: 'DATETIME', format: 'dd.MM.yyyy HH:mm', validation: dates });
    assert.deepEqual(made.get('Number'), { type: 'SERIAL', serialStart: 1000, validation: { incrementBy: 5 } });
    assert.deepEqual(made.get('Colour')?.options, ['red', ' blue ', '1.0']);
    assert.deepEqual([made.get('Size')?.optionsType, made.get('Size')?.options], ['DECIMAL', ['0.5', '10']]);
    assert.deepEqual([made.get('Seats')?.optionsType, made.get('Seats')?.options], ['INTEGER', ['2', '4']]);
    assert.deepEqual(made.get('Gtin')?.validation, { required: true, unique: true });

    for (const body of FORMATS) await comesBack(shop, body);
  });

  it('hold as many options as an attribute may have', async () => {
    const shop = await world.newShop();
    const options = Array.from({ length: 10_000 }, (_, index) => `Option ${index}`);
    await shop.define({ attributes: [{ name: 'Model', type: 'OPTIONS', options }, 'Title'] });
    for (const body of FORMATS) if (body.format !== 'JSONL') await comesBack(shop, body);
  });

  for (const body of FORMATS) {
    it(`carry the parts that attributes play, by which the items of another site go in, as ${body.format}`, async () => {
      const shop = await (await world.newShop()).define({
        attributes: [
          { name: 'Code', type: 'TEXT', validation: { required: true, unique: true }, mapping: ['title', 'sku'] },
          { name: 'Live', type: 'BOOLEAN', mapping: 'active' },
          'Colour',
        ],
        categories: { Disk: ['Code', 'Live', 'Colour'] },
      });
      await shop.bulk('insert', [
        { sku: 'a', nodeName: 'Disk', attributes: { Live: false, Colour: 'red' } },
        { sku: 'b', nodeName: 'Disk' },
      ]);
      const attributes = await comesBack(shop, body);
      const copy = await world.newShop();
      await importAs(copy, attributes.name, attributes.bytes);
      const options = 'decimalSeparator' in body ? { decimalSeparator: body.decimalSeparator } : {};
      for (const [entity, type] of [
        ['category', 'CATEGORY_IMPORT'],
        ['product', 'ITEM_IMPORT'],
      ] as const) {
        const { bytes, name } = await exportFile(shop, { entity, body });
        const read = await copy.importFile(name, bytes, options, { type });
        assert.deepEqual([read.status, read.failed], ['COMPLETED', 0], JSON.stringify(read));
      }
      assert.deepEqual(await parts(copy), ['sku Code', 'title Code', 'active Live']);
      assert.deepEqual(
        (await copy.items()).map(({ sku, status, attributes: values }) => ({ sku, status, values })),
        (await shop.items()).map(({ sku, status, attributes: values }) => ({ sku, status, values })),
      );
    });
  }

  it('name the parts in a column that a file may do without, and say what is none', async () => {
    const shop = await (await world.newShop()).define({ attributes: ['Title'] });
    const read = await importAs(
      shop,
      'a.csv',
      'Attribute Title,Type of Attribute,mapping\nTitle,SHORT TEXT,title ; image\nLive,BOOLEAN,activ\nKind,BOOLEAN,isVariant;x\nSize,NUMBER,title\n',
    );
    assert.deepEqual(
      read.errors.map(({ row, column, code }) => [row, column, code]),
      [3, 4, 5].map((row) => [row, 'Mapping', 'FIELD_INVALID']),
    );
    assert.match(read.errors[0]?.message ?? '', /did you mean active\?/);
    assert.deepEqual(await parts(shop), ['title Title', 'image Title']);
    const [header, line] = (await exportFile(shop, { entity: 'attribute' })).text.split('\n');
    assert.equal(header, `${EXPORTED},Mapping`);
    assert.match(line ?? '', /,"title; image"$/);
    const { text } = await exportFile(shop, { entity: 'attribute', body: { format: 'JSONL' } });
    assert.deepEqual(JSON.parse(text).mapping, ['title', 'image']);
  });

  it('do by their mode what they do: an action of a line is refused, not read over', async () => {
    const shop = await (await world.newShop()).define({ attributes: ['Title'] });
    const lines = ['DELETE', 'UPDATE', 'CREATE'].map(
      (action) => `{"action":"${action}","name":"Title","type":"TEXT"}\n`,
    );
    for (const line of lines) {
      const read = await importAs(shop, 'a.jsonl', line);
      assert.deepEqual(
        read.errors.map(({ row, column, code }) => [row, column, code]),
        [[1, 'action', 'FIELD_INVALID']],
      );
      assert.match(read.errors[0]?.message ?? '', /the file's mode decides/);
    }
    assert.equal((await list(shop)).length, 1);
  });

  it('tell of a title that is to be cleared', async () => {
    const shop = await world.newShop();
    const read = await importAs(shop, 'a.csv', 'Attribute Title,Type of Attribute\nNULL,HTML\n');
    assert.deepEqual(
      read.errors.map(({ row, column, code }) => [row, column, code]),
      [[2, 'Attribute Title', 'NAME_REQUIRED']],
    );
  });

  /** Part and attribute. */
  const parts = async (shop: Shop): Promise<string[]> =>
    (await shop.ask('GET', '/api-product/v1/product/attribute/mapping')).data.map(
      ({ mapping, attribute }: Record<string, string>) => `${mapping} ${attribute}`,
    );

  /** Unchanged where it came from; elsewhere the same, and the same file, which is answered. */
  async function comesBack(shop: Shop, body: (typeof FORMATS)[number]): Promise<{ name: string; bytes: Buffer }> {
    const { bytes, name } = await exportFile(shop, { entity: 'attribute', body });
    const options = 'decimalSeparator' in body ? { decimalSeparator: body.decimalSeparator } : {};
    const again = await importAs(shop, name, bytes, options);
    assert.deepEqual([again.status, again.unchanged], ['COMPLETED', again.total], JSON.stringify(again));
    const copy = await world.newShop();
    const read = await importAs(copy, name, bytes, options);
    assert.deepEqual([read.status, read.created], ['COMPLETED', read.total], JSON.stringify(read));
    assert.deepEqual(await list(copy), await list(shop));
    assert.ok((await exportFile(copy, { entity: 'attribute', body })).bytes.equals(bytes), body.format);
    return { name, bytes };
  }
});
