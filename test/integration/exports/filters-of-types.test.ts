/** Every operator of every attribute type: it finds the item that has the value, and no item without one. */
import assert from 'node:assert/strict';
import type { FilterOperator } from '../../../src/domain/kernel/value-filter.js';
import { exportText } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { EXAMPLES, exampleDefinition, type Value } from '../../support/models/attribute-values.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** A condition that the value meets; NOT_IN is met by items without the value. */
function conditionMetBy(op: FilterOperator, value: Value): object {
  switch (op) {
    case 'EXISTS':
      return {};
    case 'IN':
    case 'NOT_IN':
      return { value: [value] };
    case 'RANGE':
      return { fromValue: value, toValue: value };
    case 'CONTAINS':
      return { value: String(value).slice(1) || String(value) };
    default:
      return { value };
  }
}

describe('conditions on values of every type', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;

  const cases = EXAMPLES.flatMap(({ name, type, example }, index) => {
    const [value] = example.values;
    if (value === undefined || example !== type.examples[0]) return [];
    const { operators } = type.filter(exampleDefinition(name, example.definition));
    return [
      {
        type: name,
        attribute: `${name} ${index}`,
        draft: example.definition,
        value,
        operators,
        numbersItems: type.numbersItems,
      },
    ];
  });

  before(async () => {
    world = await startWorld();
    await world.startWorkers();
    shop = await world.newShop();
    await shop.define({
      attributes: cases.map(({ attribute, type, draft }) => ({ ...draft, name: attribute, type })),
      categories: { Disk: cases.map(({ attribute }) => attribute) },
    });
    const attributes = Object.fromEntries(cases.map(({ attribute, value }) => [attribute, value]));
    const answer = await shop.bulk('insert', [
      { sku: 'full', nodeName: 'Disk', attributes },
      { sku: 'empty', nodeName: 'Disk' },
    ]);
    assert.deepEqual(answer.body.failed, []);
  });
  after(() => world.stop());

  async function skus(properties: readonly object[]): Promise<readonly string[]> {
    const text = await exportText(shop, { body: { match: { properties }, columns: ['SKU'] } });
    return text.split('\n').slice(1, -1);
  }

  for (const { attribute, value, operators, numbersItems } of cases) {
    it(`are met by ${JSON.stringify(value).slice(0, 40)} of ${attribute}`, async () => {
      const found = await Promise.all(
        operators.map((op) => skus([{ name: attribute, op, ...conditionMetBy(op, value) }])),
      );
      operators.forEach((op, index) => {
        assert.equal(found[index]?.includes('full'), op !== 'NOT_IN', op);
        // Of a type that numbers items, no item is without a value.
        if (!numbersItems) assert.equal(found[index]?.includes('empty'), op === 'NOT_IN', op);
      });
    });
  }

  it('find a text whether its accents are characters of their own or not, and so do searches', async () => {
    const own = await world.newShop();
    await own.define({
      attributes: [{ name: 'Name', type: 'TEXT' }],
      mapping: { title: 'Name' },
      categories: { Disk: ['Name'], Café: [] },
    });
    const names = { nfc: 'Café crème'.normalize('NFC'), nfd: 'Café crème'.normalize('NFD'), tea: 'Thé' };
    const rows = Object.entries(names).map(([sku, name]) => ({ sku, nodeName: 'Disk', attributes: { Name: name } }));
    assert.deepEqual((await own.bulk('insert', rows)).body.failed, []);
    const found = async (match: object) => {
      const text = await exportText(own, { body: { match, columns: ['SKU'] } });
      return text.split('\n').slice(1, -1).sort();
    };
    for (const form of ['NFC', 'NFD'] as const) {
      const value = 'Café crème'.normalize(form);
      const part = 'é Cr'.normalize(form);
      const by = (op: string, given: unknown) => found({ properties: [{ name: 'Name', op, value: given }] });
      assert.deepEqual(await by('EQUALS', value), ['nfc', 'nfd']);
      assert.deepEqual(await by('IN', ['x', value]), ['nfc', 'nfd']);
      assert.deepEqual(await by('NOT_IN', [value]), ['tea']);
      assert.deepEqual(await by('CONTAINS', part), ['nfc', 'nfd']);
      assert.deepEqual(await found({ q: part }), ['nfc', 'nfd']);
      const listed = await own.ask('GET', `/api-product/v1/product?q=${encodeURIComponent(part)}`);
      assert.equal(listed.count, 2);
      const keyword = encodeURIComponent('FÉ'.normalize(form));
      assert.equal((await own.ask('GET', `/api-category/v1/category?keyword=${keyword}`)).count, 1);
    }
  });
});
