/** What a person does on the first day: define attributes by file, take a template, fill it in, upload it. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('templates in use', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  const template = async (path: string, body?: object): Promise<string> => {
    const { status, bytes } = await shop.call('POST', path, body === undefined ? {} : { body });
    assert.equal(status, 200);
    return bytes.toString();
  };
  /** A line under a header: the cells of the columns that are named, the others empty. */
  const line = (header: string, cells: Readonly<Record<string, string>>): string =>
    `${header
      .replace('\ufeff', '')
      .trim()
      .split(',')
      .map((name) => cells[name] ?? '')
      .join(',')}\r\n`;
  const withEnd = (header: string) => `${header.trimEnd()}\r\n`;

  it('an attribute template, filled in, defines attributes in the order of its rows, chunks apart', async () => {
    const header = await template('/attribute-import-templates');
    const rows = [
      { 'Attribute Title': 'Title', 'Type of Attribute': 'SHORT TEXT', Mandatory: 'yes', 'Max Length': '40' },
      { 'Attribute Title': 'Story', 'Type of Attribute': 'LONG TEXT' },
      { 'Attribute Title': 'Price', 'Type of Attribute': 'NUMBER', Decimal: 'yes', Min: '0' },
      { 'Attribute Title': 'Stock', 'Type of Attribute': 'NUMBER', Decimal: 'no' },
      { 'Attribute Title': 'Released', 'Type of Attribute': 'DATE', 'Date Format': 'dd.MM.yyyy' },
      { 'Attribute Title': 'Colour', 'Type of Attribute': 'LOV', 'Value 1': 'red', 'Value 2': 'blue' },
      { 'Attribute Title': 'Fragile', 'Type of Attribute': 'BOOLEAN' },
      { 'Attribute Title': 'Gtin', 'Type of Attribute': 'SHORT TEXT', Unique: 'true' },
    ];
    const content = withEnd(header) + rows.map((row) => line(header, row)).join('');
    const outcome = await shop.importFile('attributes.csv', content, {}, { type: 'ATTRIBUTE_IMPORT' });
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 8], JSON.stringify(outcome.errors));
    const { data } = await shop.ask('GET', '/api-product/v1/product/attribute');
    assert.deepEqual(
      data.map(({ name, type }: { name: string; type: string }) => [name, type]),
      [
        ['Title', 'TEXT'],
        ['Story', 'TEXT'],
        ['Price', 'DECIMAL'],
        ['Stock', 'INTEGER'],
        ['Released', 'DATETIME'],
        ['Colour', 'OPTIONS'],
        ['Fragile', 'BOOLEAN'],
        ['Gtin', 'TEXT'],
      ],
    );
    const again = await shop.importFile('attributes.csv', content, {}, { type: 'ATTRIBUTE_IMPORT' });
    assert.deepEqual([again.status, again.unchanged], ['COMPLETED', 8]);
  });

  it('an item template, filled in, makes items', async () => {
    await shop.define({
      attributes: ['Title', { name: 'Stock', type: 'INTEGER' }, 'Elsewhere'],
      categories: { Disk: ['Title', 'Stock'], Tape: ['Elsewhere'] },
    });
    const nodeId = await shop.category('Disk');
    const header = await template('/item-import-templates', { nodeId });
    assert.doesNotMatch(header, /Elsewhere/);
    const content =
      withEnd(header) +
      line(header, { 'Category Node': 'Disk', SKU: '007', Title: 'Bond', Stock: '7' }) +
      line(header, { 'Category Node': 'Disk', SKU: '007-b', 'Parent SKU': '007', Title: 'Variant' });
    const outcome = await shop.importFile('items.csv', content, { mode: 'insert' });
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 2], JSON.stringify(outcome.errors));
    assert.deepEqual((await shop.item('007'))?.attributes, { Title: 'Bond', Stock: 7 });
    assert.equal((await shop.item('007-b'))?.parentSku, '007');
  });

  it('a template that nobody filled in is a file without rows', async () => {
    const header = await template('/item-import-templates');
    const outcome = await shop.importFile('items.csv', header);
    assert.deepEqual([outcome.status, outcome.reason], ['REJECTED', 'NO_ROWS']);
  });
});
