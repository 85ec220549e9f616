/** The profiles that come with Longshore fit their examples, and the page names them all. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { columnsOfContinuation } from '../../../../src/domain/profiles/model/continued-rows.js';
import { profileName } from '../../../../src/domain/profiles/model/profile.js';
import { notInvertible } from '../../../../src/domain/profiles/not-invertible.js';
import { documentOf, SHIPPED_PROFILES } from '../../../../src/domain/profiles/shipped/registry.js';

const REPOSITORY = new URL('../../../../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, REPOSITORY), 'utf8');

/** Name of a profile → its example, as the page says. */
const LISTED = new Map(
  [...textOf('docs/use/import-profiles.md').matchAll(/^\| `([a-z-]+)` +\|.*\| `([a-z.-]+\.[ct]sv)` +\|$/gm)].map(
    ([, name = '', file = '']) => [name, file] as const,
  ),
);

describe('the profiles that come with Longshore', () => {
  it('are those of the page', () => {
    assert.deepEqual(
      [...LISTED.keys()].sort(),
      SHIPPED_PROFILES.map(({ name }) => name),
    );
  });

  it('are parsed once, and nobody changes them', () => {
    for (const shipped of SHIPPED_PROFILES) {
      const document = documentOf(shipped);
      assert.equal(documentOf(shipped), document);
      assert.throws(() => Object.assign(document.columns[0] ?? {}, { to: 'Other' }), TypeError);
    }
  });

  for (const shipped of SHIPPED_PROFILES) {
    const { name } = shipped;
    const document = documentOf(shipped);

    it(`${name} has a name that a saved one could have, and a document that is its own`, () => {
      assert.equal(profileName.parse(name), name);
      assert.equal(name, name.toLowerCase());
      assert.deepEqual(documentOf({ ...shipped, profile: JSON.parse(JSON.stringify(document)) }), document);
    });

    it(`${name} reads columns of its example, and fills what the body of its request defines`, () => {
      const { format, columns, skipRowsWhen, continuationRows } = document;
      const text = textOf(`examples/shops/${LISTED.get(name)}`);
      const { data } = Papa.parse<string[]>(text, { delimiter: format.delimiter ?? '', preview: 1 });
      const header = data[0] ?? [];
      const joined = continuationRows === undefined ? [] : columnsOfContinuation(continuationRows);
      const sources = [
        ...columns.flatMap(({ from }) => from ?? []),
        ...skipRowsWhen.map(({ column }) => column),
        ...joined,
      ];
      assert.deepEqual(
        sources.filter((column) => !header.includes(column)),
        [],
      );
      const { profile, missing } = JSON.parse(textOf(`examples/shops/${name}.import.json`));
      assert.equal(profile, name);
      const defined = missing.attributes.map((attribute: { name: string }) => attribute.name);
      const filled = columns.flatMap(({ to }) => (to === null || defined.includes(to) ? [] : [to]));
      assert.deepEqual(
        filled.filter((to) => !['SKU', 'Category Node', 'Parent SKU'].includes(to)),
        [],
      );
    });
  }

  it('are undone by exports but for a few rules, which say why', () => {
    const losses = SHIPPED_PROFILES.flatMap((shipped) =>
      notInvertible(documentOf(shipped)).map(({ column, step }) => `${shipped.name}: ${column} ${step}`),
    );
    assert.deepEqual(losses, [
      ...['google-merchant', 'google-merchant-csv'].flatMap((name) => [
        `${name}: Category Node default`,
        ...[`${name}: Price split`, `${name}: Currency split`],
        ...[`${name}: Sale Price split`, `${name}: Sale Currency split`],
      ]),
      ...[
        'magento: Category Node split',
        'prestashop: Category Node split',
        'shopify-products: Category Node default',
        'shopify-variants: Category Node constant',
        'shopify-variants-by-options: Category Node constant',
        'shopware: Category Node constant',
      ],
      ...['woocommerce: Category Node split', 'woocommerce: Category Node default'],
    ]);
  });
});
