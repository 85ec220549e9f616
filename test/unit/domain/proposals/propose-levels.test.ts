/** What is proposed where each level of the categories has a column of its own. */
import assert from 'node:assert/strict';
import { levelColumns } from '../../../../src/domain/inspection/kind/level-columns.js';
import { profileSchema } from '../../../../src/domain/profiles/model/profile.js';
import { holdProfile } from '../../../../src/domain/proposals/hold-profile.js';
import { decideOne } from '../../../support/models/decide-one.js';
import { csv, definitionsOf, inspectionOf, lineOf, profileOf, proposalFor } from './propose-fixture.js';

const PATHS = [
  ['Räder', 'E-Bikes', 'City'],
  ['Räder', 'E-Bikes', 'Trekking'],
  ['Zubehör', 'Helme', ''],
  ['Gutscheine', '', ''],
];
const file = (header: readonly string[], paths = PATHS) =>
  csv(['Artikelnummer', ...header, 'Preis'], 16, (row) => [`A-${row}`, ...(paths[row % paths.length] ?? []), row]);

describe('the proposal for a file whose category levels are columns', () => {
  it('joins them, likely at most, and lists the categories that the rows name, and those above', async () => {
    for (const header of [
      ['Kategorie 1', 'Kategorie 2', 'Kategorie 3'],
      ['Category Level 1', 'Category Level 2', 'Category Level 3'],
      ['Hauptkategorie', 'Unterkategorie', 'Unterunterkategorie'],
    ]) {
      const proposal = await proposalFor(file(header));
      const rule = proposal.profile.columns.find(({ to }) => to === 'Category Node');
      assert.deepEqual(rule, { to: 'Category Node', from: header, combine: 'join', joinWith: '->', steps: [] });
      const line = proposal.lines.find(({ as }) => as === 'category');
      assert.deepEqual([line?.from, line?.verdict, line?.to], [header, 'likely', 'Category Node']);
      assert.deepEqual(proposal.missing.categories, [
        'Räder',
        'Räder->E-Bikes',
        'Räder->E-Bikes->City',
        'Räder->E-Bikes->Trekking',
        'Zubehör',
        'Zubehör->Helme',
        'Gutscheine',
      ]);
      assert.deepEqual(profileOf(proposal).undecided, undefined);
      assert.deepEqual(
        proposal.missing.attributes.map(({ name }) => name),
        ['Preis'],
        'no level becomes an attribute',
      );
    }
  });

  it('asks what becomes of rows without any, if they are many, and puts them into one', async () => {
    const cells = (row: number) => (row % 2 === 0 ? ['', ''] : ['Räder', row % 4 === 1 ? 'City' : 'Trekking']);
    const header = ['Category 1', 'Category 2'];
    const proposal = await proposalFor(csv(['sku', ...header], 12, (row) => [`A${row}`, ...cells(row)]));
    const [question, ...others] = proposal.questions;
    assert.deepEqual(others, []);
    assert.equal(question?.question, '6 of 12 rows have no category in "Category 1". What becomes of them?');
    assert.equal(proposal.lines.find(({ as }) => as === 'category')?.verdict, 'ambiguous');
    assert.ok(proposal.missing.categories.includes('Uncategorized'), proposal.missing.categories.join());
    for (const [answer, steps] of [
      ['Uncategorized', [{ step: 'default', value: 'Uncategorized' }]],
      ['none', []],
    ] as const) {
      const { undecided, columns } = profileSchema.parse(decideOne(profileOf(proposal), 'Category 1', answer));
      assert.equal(undecided, undefined);
      const rules = columns.filter(({ to }) => to === 'Category Node');
      assert.deepEqual(
        rules.map(({ from, steps }) => ({ from, steps })),
        [{ from: header, steps }],
      );
    }
  });

  it('leaves them as they are beside a column with whole paths, or with our name', async () => {
    for (const [name, cell] of [
      ['Kategorie', 'Räder > City'],
      ['Category Node', 'Räder'],
    ] as const) {
      const text = csv(['Artikelnummer', name, 'Kategorie 1', 'Kategorie 2'], 16, (row) => [
        ...[`A-${row}`, cell, 'Räder', row % 2 ? 'City' : 'Trekking'],
      ]);
      const proposal = await proposalFor(text);
      assert.equal(lineOf(proposal, name).as, 'category');
      assert.equal(lineOf(proposal, 'Kategorie 1').as, 'attribute');
    }
  });

  it('knows the path of a category that looks like an id', async () => {
    const proposal = await proposalFor(
      file(
        ['Category 1', 'Category 2'],
        [
          ['100', ''],
          ['200', 'A'],
        ],
      ),
    );
    const rule = proposal.profile.columns.find(({ to }) => to === 'Category Node');
    assert.deepEqual(rule?.steps, [{ step: 'path', separator: '->', root: 'PRIMARY' }]);
    assert.deepEqual(proposal.missing.categories, ['100', '200', '200->A']);
  });

  it('knows what a saved profile of this form lacks, and asks nothing', async () => {
    const text = file(['Kategorie 1', 'Kategorie 2', 'Kategorie 3']);
    const { profile } = await proposalFor(text);
    const definitions = definitionsOf({ categories: { Gutscheine: [] } });
    const inspection = await inspectionOf(text);
    const held = await holdProfile(
      { inspection, definitions, profile: profileSchema.parse(profile) },
      async () => undefined,
    );
    const line = held.lines.find(({ as }) => as === 'category');
    assert.notEqual(line?.verdict, 'ambiguous', line?.reason);
    assert.deepEqual(held.missing.categories, [
      ...['Räder', 'Räder->E-Bikes', 'Räder->E-Bikes->City', 'Räder->E-Bikes->Trekking', 'Zubehör', 'Zubehör->Helme'],
    ]);
  });

  it('takes no columns whose levels are not all there, or one level twice', () => {
    const found = (...names: string[]) => levelColumns(names);
    assert.deepEqual(found('SKU', 'Category 2', 'Category 1'), [2, 1]);
    assert.deepEqual(found('Categoría', 'Subcategoría'), [0, 1]);
    assert.deepEqual(found('Oberkategorie', 'Unterkategorie'), [0, 1]);
    assert.equal(found('Category 2', 'Category 3'), null);
    assert.equal(found('Category 1', 'Category 1', 'Category 2'), null);
    assert.equal(found('Category 1', 'Category 3'), null);
    assert.equal(found('Kategorie', 'Preis'), null);
    assert.equal(found('Image 1', 'Image 2'), null);
    // Elements of XML that are repeated are several categories.
    assert.equal(found('category/0', 'category/1', 'category/2'), null);
    assert.equal(found('product/category/1', 'product/category/2'), null);
    assert.deepEqual(found('product/category1', 'product/category2'), [0, 1]);
  });

  it('lists no more categories than an import is given: then those above the ones of the rows are left out', async () => {
    const rows = 4_000;
    const file = csv(['Artikelnummer', 'Kategorie', 'Preis'], rows, (row) => [`A-${row}`, `a${row}->b->c`, row]);
    const { missing } = await proposalFor(file);
    assert.equal(missing.categories.length, rows);
    assert.equal(missing.categories[0], 'a0->b->c');
  });
});
