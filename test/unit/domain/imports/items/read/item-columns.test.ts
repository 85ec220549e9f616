import assert from 'node:assert/strict';
import type { RejectedInput } from '../../../../../../src/domain/formats/model/rejected-input.js';
import { fixedNames, resolveItemColumns } from '../../../../../../src/domain/imports/items/read/item-columns.js';
import { rulesOf } from '../rules-fixture.js';

const rules = rulesOf({ attributes: [{ name: 'Title' }, { name: 'Größe' }], categories: { Disk: [] } });
const mapped = rulesOf({
  attributes: [{ name: 'Article No' }, { name: 'Title' }],
  categories: { Disk: [] },
  mappings: { sku: 'Article No' },
});

const kinds = (cells: string[], of = rules) =>
  resolveItemColumns(cells, of, 'upsert').columns.map((column) =>
    column.kind === 'attribute' ? `attribute ${column.position}` : column.kind,
  );
function rejected(cells: string[], mode: 'insert' | 'upsert' = 'upsert', of = rules): RejectedInput {
  try {
    resolveItemColumns(cells, of, mode);
  } catch (error) {
    return error as RejectedInput;
  }
  assert.fail('the header is refused');
}

describe('resolveItemColumns', () => {
  it('knows the fixed columns and the attributes, whatever their case, blanks and form', () => {
    assert.deepEqual(kinds([' sku', 'HIERARCHY node', 'Parent sku ', 'gro\u0308SSE', '_any']), [
      'sku',
      'category',
      'parent',
      'attribute 1',
      'ignored',
    ]);
  });

  it('tells where the key is', () => {
    assert.equal(resolveItemColumns(['_x', 'Title', 'SKU'], rules, 'update').keyColumn, 2);
  });

  it('takes the attribute mapped to the SKU for it, unless there is a SKU column', () => {
    assert.deepEqual(kinds(['article no', 'Title'], mapped), ['sku', 'attribute 1']);
    assert.deepEqual(kinds(['article no', 'SKU'], mapped), ['attribute 0', 'sku']);
  });

  it('names what is wrong and where', () => {
    const unknown = rejected(['SKU', ' Titel s ']);
    assert.deepEqual([unknown.reason, unknown.row, unknown.column], ['UNKNOWN_COLUMN', 1, 'Titel s']);
    const repeated = rejected(['SKU', 'title', 'Title']);
    assert.deepEqual([repeated.reason, repeated.row, repeated.column], ['DUPLICATE_COLUMN', 1, 'Title']);
    assert.deepEqual([rejected(['Title']).reason, rejected(['Title']).column], ['MISSING_COLUMN', 'SKU']);
    assert.equal(rejected(['SKU', 'Title'], 'insert').column, 'Category Node');
    assert.equal(rejected(['SKU', 'Article No'], 'upsert').reason, 'UNKNOWN_COLUMN');
  });

  it('knows what other systems call the SKU and the category, unless the file has that column', () => {
    const adviceFor = (name: string, ...others: string[]) => {
      const { message } = rejected([...others, name]);
      return message.includes(`"${name}"`) ? (/did you mean "([^"]*)"/.exec(message)?.[1] ?? 'none') : message;
    };
    for (const name of ['Variant SKU', 'id', 'Artikelnummer']) assert.equal(adviceFor(name, 'Title'), 'SKU', name);
    for (const name of ['Kategorie', 'Categories', 'category']) {
      assert.equal(adviceFor(name, 'SKU'), 'Category Node', name);
      assert.equal(adviceFor(name, 'SKU', 'Category Node'), 'none', name);
    }
    assert.equal(adviceFor('Variant SKU', 'SKU'), 'none', 'it is not the parent');
    assert.equal(adviceFor('SKUs', 'SKU'), 'none', 'a second SKU column would be refused as well');
  });

  it('names all problems at once, each with its column and what to do', () => {
    const all = rejected(['SKUs', 'Titles', 'Warranty', '', 'Größe', 'grösse', 'Items'], 'insert');
    assert.deepEqual([all.reason, all.row, all.column], ['UNKNOWN_COLUMN', 1, 'SKUs']);
    assert.equal(
      all.message,
      'the header has 6 problems:\n' +
        '(1) column 1, "SKUs", is not an attribute of this site: did you mean "SKU"?\n' +
        '(2) column 2, "Titles", is not an attribute of this site: did you mean "Title"?\n' +
        '(3) column 3, "Warranty", is not an attribute of this site: create the attribute, or rename the column with a leading "_" to have it ignored\n' +
        '(4) the column "Items" is not accepted in this file: the items of bundles are read from a BUNDLE_IMPORT; remove it, or rename it with a leading "_"\n' +
        '(5) columns 5 and 6 both are "Größe"; remove one of them\n' +
        '(6) new items need a category; add a column headed "Category Node" with paths such as "Storage->Disk"',
    );
  });

  it('spells out 50 problems, and counts the others', () => {
    const { message } = rejected(['SKU', ...Array.from({ length: 60 }, (_, index) => `Unknown ${index}`)]);
    assert.match(message, /^the header has 60 problems:\n(?:.*\n)*\(50\) column 51, "Unknown 49", .*\nand 10 more$/);
  });
});

describe('fixedNames', () => {
  it('are the fields of JSON without a header', () => {
    assert.deepEqual(fixedNames(null), {
      sku: 'sku',
      category: 'nodeName',
      parent: 'parentSku',
      items: 'bundleItems',
      alternates: 'alternateCategories',
      type: 'type',
    });
  });

  it('are the headers of a file as they are written, and the usual ones where there are none', () => {
    const columns = resolveItemColumns(['Sku', 'Hierarchy node'], rules, 'upsert');
    assert.deepEqual(fixedNames(columns), {
      sku: 'Sku',
      category: 'Hierarchy node',
      parent: 'Parent SKU',
      items: 'Items',
      alternates: 'Alternate Categories',
      type: 'Sku',
    });
    assert.equal(fixedNames(resolveItemColumns(['Article no'], mapped, 'upsert')).sku, 'Article No');
  });
});
