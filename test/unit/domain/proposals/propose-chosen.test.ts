/** What somebody has said that a column becomes goes before everything else, and the rest of the proposal follows from it. */
import assert from 'node:assert/strict';
import { csv, lineOf, profileOf, proposalFor } from './propose-fixture.js';

const FILE = csv(['SKU', 'Category', 'Bez.', 'Preis', 'Name'], 12, (row) => [
  `S-${row}`,
  row % 2 ? 'Bikes > Road' : 'Parts > Bells',
  `Bike ${row}`,
  `${row},50`,
  `other ${row}`,
]);
const CATALOG = {
  attributes: [{ name: 'Title' }, { name: 'Cost', type: 'DECIMAL' as const }, { name: 'Name' }],
  categories: { Bikes: [], 'Bikes->Road': ['Title', 'Name'], Parts: [], 'Parts->Bells': [] },
};

describe('a proposal for columns of which somebody has said what they become', function () {
  this.timeout(20_000);

  const chosen = (said: Readonly<Record<string, string | null>>) => proposalFor(FILE, { ...CATALOG, chosen: said });

  it('fills any attribute, without the new one, with the steps and assignments that it needs', async () => {
    const proposal = await chosen({ 'Bez.': 'Title', Preis: 'Cost' });
    const line = lineOf(proposal, 'Bez.');
    assert.deepEqual(
      [line.to, line.isNew, line.verdict, line.reason],
      ['Title', false, 'certain', 'You have chosen "Title".'],
    );
    assert.deepEqual(proposal.missing.attributes, []);
    const price = profileOf(proposal).columns.find(({ to }) => to === 'Cost');
    assert.deepEqual(
      price?.steps.map((step) => 'step' in step && step.step),
      ['number'],
    );
    const bells = proposal.missing.assignments.find(({ category }) => category === 'Parts->Bells');
    assert.deepEqual([...(bells?.attributes ?? [])].sort(), ['Cost', 'Name', 'Title']);
  });

  it('takes an attribute from the column that has its name, which becomes a new one', async () => {
    const proposal = await chosen({ 'Bez.': 'Name' });
    assert.equal(lineOf(proposal, 'Bez.').to, 'Name');
    const { to, isNew } = lineOf(proposal, 'Name');
    assert.deepEqual([to, isNew], ['Name (2)', true]);
  });

  it('makes the key, the category, the parent or what has no attribute of a column, or leaves it out', async () => {
    assert.equal(lineOf(await chosen({ Name: 'SKU' }), 'Name').as, 'key');
    const category = await chosen({ Name: 'category node' });
    assert.deepEqual([lineOf(category, 'Name').as, lineOf(category, 'Category').isNew], ['category', true]);
    assert.equal(lineOf(await chosen({ 'Bez.': 'Parent SKU' }), 'Bez.').as, 'parent');
    const other = await chosen({ 'Bez.': 'Alternate Categories' });
    assert.deepEqual([lineOf(other, 'Bez.').to, other.missing.attributes.length], ['Alternate Categories', 1]);
    const { to, as } = lineOf(await chosen({ 'bez. ': null }), 'Bez.');
    assert.deepEqual([to, as], [null, 'ignored']);
  });

  it('makes a new attribute of the name that was chosen', async () => {
    const proposal = await chosen({ Name: 'Marke', 'Bez.': 'Bezeichnung' });
    assert.deepEqual([lineOf(proposal, 'Name').to, lineOf(proposal, 'Name').isNew], ['Marke', true]);
    assert.ok(proposal.missing.attributes.some(({ name }) => name === 'Bezeichnung'));
  });
});
