/** Whatever a file and a catalog are: once a proposal is decided, it is a profile, and what is missing is accepted. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { missingSchema } from '../../../../src/domain/imports/missing/given-missing.js';
import { attributeKey } from '../../../../src/domain/kernel/attribute-key.js';
import { PROFILE_FILE_TYPES, profileSchema } from '../../../../src/domain/profiles/model/profile.js';
import { neededMissing } from '../../../../src/domain/proposals/needed-missing.js';
import { questionsOf } from '../../../../src/domain/proposals/questions-of.js';
import { decideOne } from '../../../support/models/decide-one.js';
import { runsOf } from '../../../support/models/property-runs.js';
import { csv, type GivenAttribute, profileOf, proposalFor } from './propose-fixture.js';

const NAMES = [
  ...[
    'SKU',
    'Artikelnummer',
    'Code',
    'Price',
    'Preis',
    'Farbe',
    'Colour',
    'Colr',
    'Category',
    'Kategorie',
    'Parent SKU',
  ],
  ...[
    'Items',
    'Titel',
    'title_de',
    'Release',
    '',
    ' ',
    '_x',
    'Status',
    'Bild',
    'Bild',
    'Weight (kg)',
    'A\tB',
    'EAN',
    'Typ',
    'Name',
  ],
];
const two = (value: number) => String(value).padStart(2, '0');
/** Cells of a column, by the number of the row. */
const CELLS: readonly ((row: number) => string)[] = [
  (row) => `K-${row}`,
  (row) => `03.${two((row % 12) + 1)}.2026`,
  (row) => `${two((row % 28) + 1)}/04/26`,
  (row) => `1.${100 + row}`,
  (row) => `${row},5 ${row % 2 ? 'kg' : 'g'}`,
  (row) => `${row}.50 ${row % 2 ? '€' : '$'}`,
  (row) => ['red', 'green', 'n/a', ''][row % 4] ?? '',
  (row) => `Bikes > ${row % 2 ? 'Road' : 'Off-road -> hard'}`,
  (row) => `A > B${row % 3}|C > D`,
  (row) => `${row % 4}`,
  (row) => (row % 2 ? 'ja' : ''),
  (row) => `<p>${row}</p>`,
  (row) => `https://x.example/${row}`,
  (row) => `a${row % 3}/b${row % 2}`,
  (row) => `a, b${row % 3}, c`,
  () => '',
  (row) => 'word '.repeat(row % 70),
  (row) => `${row} `,
];
const TYPES = ['TEXT', 'INTEGER', 'DECIMAL', 'BOOLEAN', 'DATETIME', 'OPTIONS', 'URL'] as const;

const columns = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...CELLS)), {
  minLength: 1,
  maxLength: 9,
});
const attributes = fc.uniqueArray(
  fc
    .tuple(
      fc.constantFrom('Price', 'Colour', 'Color', 'Title', 'Weight', 'release', 'Statuss', 'Farbe'),
      fc.constantFrom(...TYPES),
    )
    .map(
      ([name, type]): GivenAttribute => ({ name, type, ...(type === 'OPTIONS' ? { options: ['red', 'blue'] } : {}) }),
    ),
  { selector: ({ name }) => attributeKey(name), maxLength: 6 },
);
const categories = fc.constantFrom({}, { Bikes: [], 'Bikes->Road': ['Price'] }, { Items: [] });

describe('a decided proposal', function () {
  this.timeout(120_000);

  it('asks no more what a column is that identifies the rows', async () => {
    const header = ['SKU', 'Typ', 'Typ', 'SKU'];
    const file = csv(header, 1, (row) => [...header.slice(1).map(() => `K-${row}`), 'word']);
    const proposal = await proposalFor(file, { attributes: [], categories: {}, fileType: 'CATEGORY_IMPORT' });
    const before = questionsOf(profileOf(proposal) as Parameters<typeof questionsOf>[0]);
    assert.deepEqual(
      before.map(({ column }) => column),
      [null, 'Typ'],
    );
    const decided = decideOne(profileOf(proposal), null, 'Typ') ?? assert.fail();
    assert.deepEqual(questionsOf(decided as Parameters<typeof questionsOf>[0]), []);
    assert.equal(profileSchema.parse(decided).columns.find(({ to }) => to === 'Category Path')?.from, 'Typ');
  });

  it('needs what is above the one category that all rows get, with its attributes, and no other', () => {
    const missing = {
      ...{ attributes: [], options: [], categories: ['Parts', 'Parts->Bells', 'Bikes'] },
      assignments: ['Parts', 'Bikes'].map((category) => ({ category, attributes: ['Title'] })),
    };
    for (const constant of ['Parts->Bells', 'PRIMARY->parts -> BELLS']) {
      const columns = [{ to: 'Title' }, { to: 'Category Node', constant }];
      const { categories, assignments } = neededMissing(missing, { columns });
      assert.deepEqual(categories, ['Parts', 'Parts->Bells']);
      assert.deepEqual(assignments, [{ category: 'Parts', attributes: ['Title'] }]);
    }
  });

  it('is always a profile, and an import accepts what it needs of what is missing', async () => {
    await fc.assert(
      fc.asyncProperty(
        columns,
        fc.integer({ min: 1, max: 40 }),
        attributes,
        categories,
        fc.constantFrom(...PROFILE_FILE_TYPES),
        fc.infiniteStream(fc.nat(20)),
        async (given, rows, known, tree, fileType, choices) => {
          if (given.every(([name]) => name.trim() === '')) return;
          const file = csv(
            given.map(([name]) => name),
            rows,
            (row) => given.map(([, cell]) => cell(row)),
          );
          const proposal = await proposalFor(file, { attributes: known, categories: tree, fileType });
          let profile = profileOf(proposal);
          for (let left = 100; left > 0; left -= 1) {
            const [question] = questionsOf(profile as Parameters<typeof questionsOf>[0]);
            if (question === undefined) break;
            const at = choices.next().value ?? 0;
            const reading = question.readings[at % question.readings.length];
            const decided = decideOne(profile, question.column, reading?.value ?? '');
            assert.ok(decided, `nothing is decided by ${reading?.value}`);
            profile = decided;
          }
          profileSchema.parse(profile);
          missingSchema.parse(proposal.missing);
          const needed = missingSchema.parse(neededMissing(proposal.missing, profile));
          const filled = new Set(profile.columns.map(({ to }) => attributeKey(to ?? '')));
          for (const { name } of needed.attributes) assert.ok(filled.has(attributeKey(name ?? '')));
        },
      ),
      { numRuns: runsOf(500) },
    );
  });
});
