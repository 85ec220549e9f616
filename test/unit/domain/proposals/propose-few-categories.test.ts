/** What is proposed for categories of which there are too few to tell whether a sign in them divides a path. */
import assert from 'node:assert/strict';
import { csv, lineOf, proposalFor } from './propose-fixture.js';

const file = (...values: readonly string[]) =>
  csv(['Artikelnummer', 'Kategorie', 'Preis'], 12, (row) => [`A-${row}`, values[row % values.length] ?? '', row]);
const ruleFor = ({ profile }: Awaited<ReturnType<typeof proposalFor>>) =>
  profile.columns.find(({ to }) => to === 'Category Node');

describe('the proposal for a file with one category', () => {
  it('reads "A/B" as a name, likely at most, and says that it may be a path', async () => {
    for (const [value, sign] of [
      ['Möbel/Stühle', '/'],
      ['Möbel - Stühle', ' - '],
      ['Möbel|Stühle', '|'],
    ] as const) {
      const proposal = await proposalFor(file(value));
      const line = lineOf(proposal, 'Kategorie');
      assert.deepEqual([line.as, line.verdict], ['category', 'likely']);
      assert.match(line.reason, new RegExp(`nothing tells whether "\\${sign}" separates the levels`));
      assert.deepEqual(proposal.missing.categories, [value]);
    }
  });

  it('reads it as the path that the catalog has, and as the name that it has', async () => {
    const asPath = await proposalFor(file('Möbel/Stühle'), { categories: { Möbel: [], 'Möbel->Stühle': [] } });
    assert.deepEqual(ruleFor(asPath)?.steps, [{ step: 'path', separator: '/' }]);
    assert.deepEqual([lineOf(asPath, 'Kategorie').verdict, asPath.missing.categories], ['likely', []]);
    const asName = await proposalFor(file('Möbel/Stühle'), { categories: { 'Möbel/Stühle': [] } });
    assert.deepEqual([ruleFor(asName)?.steps, asName.missing.categories], [[], []]);
    assert.doesNotMatch(lineOf(asName, 'Kategorie').reason, /separates/);
  });

  it('reads "A > B" as a path', async () => {
    const proposal = await proposalFor('Artikelnummer;Kategorie\nA;Möbel > Stühle\n');
    assert.deepEqual(ruleFor(proposal)?.steps, [{ step: 'path', separator: '>' }]);
    assert.deepEqual(proposal.missing.categories, ['Möbel', 'Möbel->Stühle']);
  });

  it('says nothing of names without such a sign', async () => {
    const line = lineOf(await proposalFor(file('Möbel', 'Stühle')), 'Kategorie');
    assert.match(line.reason, /Each value is the name of a top category/);
  });
});
