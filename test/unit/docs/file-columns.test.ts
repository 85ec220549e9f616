/** The tables of columns and fields in the documentation name all that there are, and no others. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { attributeExportHeader } from '../../../src/domain/catalog/attributes/attribute-columns.js';
import { CATEGORY_COLUMNS } from '../../../src/domain/catalog/categories/category-columns.js';
import { ENCODINGS, encodingNamed } from '../../../src/domain/formats/text/encoding-names.js';
import { ITEM_FIELDS } from '../../../src/domain/imports/items/read/element-fields.js';
import { FIXED_COLUMNS } from '../../../src/domain/imports/items/read/fixed-columns.js';

const PAGE = fileURLToPath(new URL('../../../../docs/use/file-columns.md', import.meta.url));

describe('the columns that files can have', () => {
  let page: string;
  before(async () => {
    page = await readFile(PAGE, 'utf8');
  });

  /** The names in the first column of the table that follows a marker. */
  function documented(table: string): string[] {
    const [, text] = new RegExp(`<!-- ${table} -->\\n\\n((?:\\|.*\\n)+)`).exec(page) ?? [];
    assert.ok(text !== undefined, `the page has no table ${table}`);
    const [, , ...rows] = text.trim().split('\n');
    return rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  }

  const withoutReserved = (names: readonly string[]) => names.filter((name) => name !== '_').sort();

  it('are documented for items and bundles', () => {
    const names = new Set([...documented('item-columns'), ...documented('bundle-columns')]);
    assert.deepEqual(withoutReserved([...names].map((name) => name.toLowerCase())), [...FIXED_COLUMNS.keys()].sort());
  });

  it('are documented for attributes, in the order of the template', () => {
    const names = documented('attribute-columns').filter((name) => name !== '_');
    assert.deepEqual(names, attributeExportHeader(2, true));
  });

  it('are documented for categories', () => {
    assert.deepEqual(withoutReserved(documented('category-columns')), [...CATEGORY_COLUMNS].sort());
  });

  it('are documented for items in JSON', () => {
    assert.deepEqual(withoutReserved(documented('item-fields')), [...ITEM_FIELDS].sort());
  });

  it('may be in the encodings of the page, whose other names are known', () => {
    assert.deepEqual(documented('encodings').sort(), [...ENCODINGS].sort());
    const [, table = ''] = /<!-- encodings -->\n\n((?:\|.*\n)+)/.exec(page) ?? [];
    for (const row of table.trim().split('\n').slice(2)) {
      const [encoding = '', ...others] = [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      for (const other of others) assert.equal(encodingNamed(other), encoding, other);
    }
  });
});
