/** What is written of a category is read back to the same, as cells and as JSON. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  CATEGORY_COLUMNS,
  resolveCategoryHeader,
} from '../../../../../src/domain/catalog/categories/category-columns.js';
import { categoryRowReader } from '../../../../../src/domain/catalog/categories/category-row.js';
import {
  itemAttributesFromText,
  itemAttributesToText,
} from '../../../../../src/domain/catalog/categories/item-attributes-cell.js';
import { parseCategoryInput } from '../../../../../src/domain/catalog/categories/parse-category-input.js';
import {
  categoryToCells,
  categoryToElement,
  type WrittenCategory,
} from '../../../../../src/domain/catalog/categories/write-category.js';

const awkward = fc.constantFrom(
  'NULL',
  '\\NULL',
  '\\',
  'a!',
  '!',
  ';',
  'a;b',
  '\\;',
  'a\\!',
  '->',
  'a->b',
  '\\->',
  ' x',
);
const name = fc
  .oneof(awkward, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }))
  .map((text) => text.trim().normalize('NFC'))
  .filter((text) => text !== '' && text.isWellFormed() && !text.includes('\u0000'));
const attributes = fc.uniqueArray(fc.record({ name, mandatory: fc.boolean() }, { noNullPrototype: true }), {
  selector: (one) => one.name,
});

const written: fc.Arbitrary<WrittenCategory> = fc
  .record({
    below: fc.array(name, { maxLength: 4 }),
    root: name,
    tree: fc.constantFrom('PRIMARY' as const, 'ALTERNATE' as const),
    order: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    active: fc.boolean(),
    attributes,
  })
  .map(({ below, root, tree, attributes: own, ...rest }) => ({
    ...rest,
    tree,
    lineage: [tree === 'PRIMARY' ? 'PRIMARY' : root, ...below],
    attributes: tree === 'PRIMARY' ? own : [],
  }));

function expected({ lineage, tree, order, active, attributes: own }: WrittenCategory): object {
  const place = { tree, names: tree === 'PRIMARY' ? lineage.slice(1) : lineage };
  const assigned = own.map(({ name, mandatory }) => ({ attribute: { name }, mandatory }));
  return { place, order, active, ...(tree === 'PRIMARY' ? { attributes: assigned } : { attributes: undefined }) };
}

describe('a category as a row of a file', () => {
  it('is read back as it was written', () => {
    const read = categoryRowReader(resolveCategoryHeader(CATEGORY_COLUMNS));
    fc.assert(
      fc.property(written, (category) => {
        assert.deepEqual(read(categoryToCells(category)), expected(category));
      }),
    );
  });

  it('is read back as an element of JSON', () => {
    fc.assert(
      fc.property(written, (category) => {
        const element: unknown = JSON.parse(JSON.stringify(categoryToElement(category)));
        assert.deepEqual(parseCategoryInput(element), expected(category));
      }),
    );
  });

  it('says outright that it has no attributes of its own', () => {
    const category = {
      lineage: ['PRIMARY', 'Storage'],
      tree: 'PRIMARY',
      order: 0,
      active: true,
      attributes: [],
    } as const;
    assert.deepEqual(categoryToCells(category), ['PRIMARY->Storage', 'PRIMARY', '0', 'TRUE', 'NULL']);
  });
});

describe('the Item Attributes cell', () => {
  it('marks mandatory ones with !, and takes blanks and empty parts', () => {
    assert.deepEqual(itemAttributesFromText(' Title! ; ;Colour;a!b'), [
      { name: 'Title', mandatory: true },
      { name: 'Colour', mandatory: false },
      { name: 'a!b', mandatory: false },
    ]);
  });

  it('reads back any names', () => {
    fc.assert(
      fc.property(attributes, (own) => {
        assert.deepEqual(itemAttributesFromText(itemAttributesToText(own)), own);
      }),
    );
  });
});
