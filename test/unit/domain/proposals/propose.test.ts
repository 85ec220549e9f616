/** Which column of a file is which of ours, how sure that is, and what is asked. */
import assert from 'node:assert/strict';
import { profileSchema } from '../../../../src/domain/profiles/model/profile.js';
import { decideOne } from '../../../support/models/decide-one.js';
import { type Catalog, csv, lineOf, profileOf, proposalFor } from './propose-fixture.js';

const two = (value: number) => String(value).padStart(2, '0');
const COLOURS = ['red', 'green', 'blue', 'black'];
/** A file of items with one more column. */
const withColumn = (name: string, cellOf: (row: number) => string | number, rows = 40) =>
  csv(['SKU', 'Category', name], rows, (row) => [`S-${row}`, row % 2 ? 'Bikes > Road' : 'Parts > Bells', cellOf(row)]);

describe('propose', function () {
  this.timeout(20_000);

  it('says of a file with only a header that nothing of its columns can be looked at', async () => {
    const questionOf = async (file: string) => {
      const { undecided = [] } = profileOf(await proposalFor(file));
      return undecided.find(({ about }) => about === 'key');
    };
    const asked = await questionOf('Nr;Gruppe;Name\n');
    assert.match(asked?.question ?? '', /^The file has no rows yet, whose values would tell\. Which column identifies/);
    const labels = asked?.readings.map(({ label }) => label);
    assert.deepEqual(labels, ['the column "Nr"', 'the column "Gruppe"', 'the column "Name"']);
    const filled = await questionOf(csv(['Gruppe', 'Art'], 30, (row) => [row % 3, 'x y z']));
    const others = filled?.readings.map(({ label }) => label);
    assert.deepEqual(others, [
      'the column "Gruppe", with 3 different values in 30 cells',
      'the column "Art", which has one value in 30 cells',
    ]);
    const line = lineOf(await proposalFor('SKU;Category;Name\n'), 'SKU');
    assert.doesNotMatch(line.reason, /0 /);
    assert.match(line.reason, /the file has no rows/i);
  });

  const mapped: readonly (readonly [
    what: string,
    column: string,
    cell: (row: number) => string | number,
    catalog: Catalog,
    expected: readonly [to: string | null, isNew: boolean, verdict: string],
  ])[] = [
    [
      'the exact name',
      'colour',
      (row) => COLOURS[row % 4] ?? '',
      { attributes: [{ name: 'Colour' }] },
      ['Colour', false, 'certain'],
    ],
    [
      'another spelling',
      'Release-date',
      (row) => `2026-01-${two((row % 28) + 1)}`,
      { attributes: [{ name: 'release_date', type: 'DATETIME' }] },
      ['release_date', false, 'certain'],
    ],
    [
      'a name without umlauts',
      'Groesse',
      (row) => `${row} XL`,
      { attributes: [{ name: 'Größe' }] },
      ['Größe', false, 'certain'],
    ],
    [
      'a name in another locale',
      'Farbe',
      (row) => COLOURS[row % 4] ?? '',
      { attributes: [{ name: 'C-1', locales: [{ locale: 'de', name: 'Farbe' }] }] },
      ['C-1', false, 'certain'],
    ],
    [
      'an alias of the site',
      'Bez. 1',
      (row) => `Bike ${row}`,
      { attributes: [{ name: 'Title' }], aliases: { Title: ['Bez. 1'] } },
      ['Title', false, 'certain'],
    ],
    [
      'a word of another language',
      'Gewicht',
      (row) => `${row}.5`,
      { attributes: [{ name: 'Weight', type: 'DECIMAL' }] },
      ['Weight', false, 'likely'],
    ],
    [
      'its values',
      'Lack',
      (row) => COLOURS[row % 4] ?? '',
      { attributes: [{ name: 'Paint', type: 'OPTIONS', options: [...COLOURS, 'white'] }] },
      ['Paint', false, 'likely'],
    ],
    [
      'a typing error',
      'Matreial',
      (row) => `steel ${row}`,
      { attributes: [{ name: 'Material' }] },
      ['Material', false, 'ambiguous'],
    ],
    [
      'other digits in its name',
      'Image 2',
      (row) => `x${row}`,
      { attributes: [{ name: 'Image 1' }] },
      ['Image 2', true, 'certain'],
    ],
    [
      'a price in another spelling',
      'list-price',
      (row) => `${row}.99`,
      { attributes: [{ name: 'List Price', type: 'DECIMAL' }] },
      ['List Price', false, 'likely'],
    ],
    [
      'the exact name of a price',
      'Price',
      (row) => `${row}.99`,
      { attributes: [{ name: 'Price', type: 'DECIMAL' }] },
      ['Price', false, 'certain'],
    ],
    [
      'the name of an attribute of another type',
      'Weight',
      (row) => `heavy ${row}`,
      { attributes: [{ name: 'Weight', type: 'DECIMAL' }] },
      ['Weight', false, 'likely'],
    ],
    [
      'a name like that of an attribute of another type',
      'Matreial',
      (row) => `steel ${row}`,
      { attributes: [{ name: 'Material', type: 'BOOLEAN' }] },
      ['Matreial', true, 'certain'],
    ],
    ['a name of ours that is reserved', 'Items', (row) => `a ${row}`, {}, ['Items (2)', true, 'certain']],
    ['a name that begins with "_"', '_hint', (row) => `a ${row}`, {}, [null, false, 'certain']],
    ['no name', '', (row) => `a ${row}`, {}, [null, false, 'likely']],
    ['only empty cells', 'Nothing', () => '', {}, [null, false, 'certain']],
  ];
  for (const [what, column, cell, catalog, [to, isNew, verdict]] of mapped) {
    it(`maps a column with ${what}`, async () => {
      const proposal = await proposalFor(withColumn(column, cell), catalog);
      const line = lineOf(proposal, column === '' ? 'Column 3' : column);
      assert.deepEqual([line.to, line.isNew, line.verdict], [to, isNew, verdict], line.reason);
      assert.equal(
        proposal.missing.attributes.some(({ name }) => name === to),
        isNew,
      );
    });
  }

  const made: readonly (readonly [
    what: string,
    column: string,
    cell: (row: number) => string | number,
    body: object,
    steps: unknown,
  ])[] = [
    ['whole numbers', 'Doors', (row) => row % 7, { type: 'INTEGER' }, []],
    [
      'German amounts',
      'Preis',
      (row) => `1.${two(row)}0,50 €`,
      { type: 'DECIMAL' },
      [{ step: 'number', decimal: ',', thousands: '.', currency: ['€'] }],
    ],
    [
      'measures without fractions',
      'Breite',
      (row) => `${row + 1} cm`,
      { type: 'DECIMAL' },
      [{ step: 'removeUnit', units: ['cm'] }],
    ],
    [
      'words for yes and no',
      'Neu',
      (row) => (row % 3 ? 'ja' : 'nein'),
      { type: 'BOOLEAN' },
      [{ step: 'boolean', true: ['ja'], false: ['nein'] }],
    ],
    [
      'a single word for yes',
      'Sale',
      (row) => (row % 3 ? 'oui' : ''),
      { type: 'BOOLEAN' },
      [{ step: 'boolean', true: ['oui'], false: ['non'] }],
    ],
    [
      'days',
      'Ab',
      (row) => `${two((row % 28) + 1)}.04.2026`,
      { type: 'DATETIME' },
      [{ step: 'date', formats: ['dd.MM.yyyy'] }],
    ],
    [
      'years of two digits',
      'Ab',
      (row) => `${two((row % 28) + 1)}.04.26`,
      { type: 'TEXT', textSubType: 'SMALL_TEXT' },
      [{ step: 'trim' }],
    ],
    ['addresses', 'Photo', (row) => `https://x.example/${row}.jpg`, { type: 'URL' }, [{ step: 'trim' }]],
    ['HTML', 'Body', (row) => `<p>Bike ${row}</p>`, { type: 'TEXT', textSubType: 'HTML' }, [{ step: 'trim' }]],
    [
      'few values that repeat',
      'Farbe',
      (row) => COLOURS[row % 4] ?? '',
      { type: 'OPTIONS', options: COLOURS },
      [{ step: 'trim' }],
    ],
    [
      'names that repeat',
      'Name',
      (row) => COLOURS[row % 4] ?? '',
      { type: 'TEXT', textSubType: 'SMALL_TEXT' },
      [{ step: 'trim' }],
    ],
    [
      'lists',
      'Tags',
      (row) => `t${row % 5}|u${row % 3}`,
      { type: 'TEXT', textSubType: 'SMALL_TEXT' },
      [{ step: 'list', separator: '|' }, { step: 'trim' }],
    ],
    [
      'codes of digits',
      'Barcode',
      (row) => 8_700_000_000_000 + row,
      { type: 'TEXT', textSubType: 'SMALL_TEXT', validation: { unique: true } },
      [{ step: 'trim' }],
    ],
    [
      'codes that differ',
      'EAN',
      (row) => `00${10_000 + row}`,
      { type: 'TEXT', textSubType: 'SMALL_TEXT', validation: { unique: true } },
      [{ step: 'trim' }],
    ],
  ];
  for (const [what, column, cell, body, steps] of made) {
    it(`makes an attribute for a column of ${what}`, async () => {
      const proposal = await proposalFor(withColumn(column, cell));
      assert.deepEqual(proposal.missing.attributes, [{ name: column, ...body }]);
      const rule = proposal.profile.columns.find(({ from }) => from === column);
      assert.deepEqual(
        rule?.steps.map((step) => ('undecided' in step ? 'open' : step)),
        steps,
      );
    });
  }

  const wholes: readonly (readonly [what: string, cell: (row: number) => string])[] = [
    ['JSON objects', (row) => `{"ram": "${row % 4} GB", "ports": ["usb", "hdmi"]}`],
    ['JSON arrays', (row) => `["a${row % 3}", "b"]`],
    ['texts that PHP has written', (row) => `a:1:{i:0;s:4:"x; ${row % 5}";}`],
    ['ranges', (row) => `${row % 20} - ${(row % 20) + 10}`],
    ['ratios', (row) => `${(row % 9) + 1}/9`],
    ['fractions', (row) => `${row % 12} 1/2`],
    ['sizes', (row) => ['S/M', 'M/L', 'L/XL', 'XL/XXL', '36/38', '38/40', '40/42', '36/40'][row % 8] ?? ''],
  ];
  for (const [what, cell] of wholes) {
    it(`leaves ${what} as they are, although they can be divided`, async () => {
      const rows = Array.from(
        { length: 40 },
        (_, row) => `S-${row}\tBikes > Road\tThing ${row}\t${row}.50\t7\t${cell(row)}`,
      );
      const { profile } = await proposalFor(`SKU\tCategory\tName\tPrice\tStock\tSpecs\n${rows.join('\n')}\n`);
      const rule = profile.columns.find(({ from }) => from === 'Specs');
      assert.deepEqual(rule?.steps, [{ step: 'trim' }]);
    });
  }

  it('takes no names for categories, although those of variants look like paths', async () => {
    const file = csv(['SKU', 'Name', 'Price'], 60, (row) => [
      `S-${row}`,
      `Mug ${Math.floor(row / 3)} - ${['Red', 'Blue', 'Green'][row % 3]} ${Math.floor(row / 3)}`,
      `${row}.50`,
    ]);
    const proposal = await proposalFor(file);
    assert.notEqual(lineOf(proposal, 'Name').to, 'Category Node');
    assert.deepEqual(proposal.missing.categories, ['Items'], 'where new items may be created');
    assert.ok(profileOf(proposal).undecided?.some(({ about }) => about === 'category'));
  });

  it('takes the first of several categories, also if one of them is no path', async () => {
    const categories = [
      'Clothing, Clothing > Hoodies',
      'Clothing, Clothing > Tees',
      'Music, Clothing > Caps',
      'Music > CDs',
    ];
    const rows = categories.flatMap((one, nth) => [0, 1, 2].map((row) => `S-${nth}-${row};Thing ${row};${one}`));
    const proposal = await proposalFor(`SKU;Name;Categories\n${rows.join('\n')}\n`);
    assert.deepEqual(proposal.missing.categories, ['Clothing', 'Music', 'Music->CDs']);
    const other = await proposalFor(
      csv(['SKU', 'Name', 'Categories'], 30, (row) => [
        row,
        `Thing ${row}`,
        `Kitchen > Mugs${row % 3}, Sale${row % 2}`,
      ]),
    );
    const { verdict, reason } = lineOf(other, 'Categories');
    assert.equal(verdict, 'likely');
    assert.match(reason, /There may be several paths as well, separated by ",", as in /);
  });

  it('takes a column of groups for the category, also if its levels are separated as lists are', async () => {
    const file = csv(['Art.-Nr.', 'Name', 'Gruppe'], 40, (row) => [
      `UT-${row}`,
      `Decke ${row}`,
      row % 2 ? 'Textil|Decken' : 'Textil|Kissen',
    ]);
    const proposal = await proposalFor(file);
    const { to, verdict } = lineOf(proposal, 'Gruppe');
    assert.deepEqual([to, verdict], ['Category Node', 'likely']);
    assert.deepEqual(proposal.missing.categories, ['Textil', 'Textil->Kissen', 'Textil->Decken']);
  });

  it('asks with a row and an example where days or amounts can be read in two ways, and says what each would be', async () => {
    const file = csv(['SKU', 'Category', 'Since', 'Rate'], 12, (row) => [
      `S-${row}`,
      'A > B',
      `03.${two(row + 1)}.2026`,
      `1.${950 + row}`,
    ]);
    const proposal = await proposalFor(file);
    assert.deepEqual(
      proposal.questions.map(({ column, readings }) => [
        column,
        readings.map(({ value, label, row, example }) => `${value} = ${label} (${row}: ${example})`),
      ]),
      [
        ['Since', ['dd.MM.yyyy = 3 January 2026 (2: 03.01.2026)', 'MM.dd.yyyy = 1 March 2026 (2: 03.01.2026)']],
        ['Rate', ['. = 1.950 (2: 1.950)', ', = 1950 (2: 1.950)']],
      ],
    );
    assert.match(proposal.questions[0]?.question ?? '', /03\.01\.2026 in row 2 .*3 January 2026, or 1 March 2026\?/);
    assert.equal(lineOf(proposal, 'Since').verdict, 'ambiguous');
    assert.equal(profileSchema.safeParse(proposal.profile).success, false);
    const first = decideOne(profileOf(proposal), 'Since', 'MM.dd.yyyy');
    assert.ok(first);
    const both = decideOne(first, 'Rate', ',');
    const { columns } = profileSchema.parse(both);
    assert.deepEqual(
      columns.slice(2).map(({ steps }) => steps),
      [[{ step: 'date', formats: ['MM.dd.yyyy'] }], [{ step: 'number', decimal: ',', thousands: '.' }]],
    );
    assert.equal(decideOne(profileOf(proposal), 'Since', 'yyyy'), undefined);
  });

  it('asks what a column is that is like an attribute by its name alone, and imports nothing before', async () => {
    const catalog = { attributes: [{ name: 'Material' }] };
    const proposal = await proposalFor(
      withColumn('Matreial', (row) => `steel ${row}`),
      catalog,
    );
    assert.deepEqual(
      proposal.questions[0]?.readings.map(({ value }) => value),
      ['Material', 'new', 'ignore'],
    );
    assert.equal(profileSchema.safeParse(proposal.profile).success, false);
    const to = (value: string) => profileSchema.parse(decideOne(profileOf(proposal), 'Matreial', value)).columns[2]?.to;
    assert.deepEqual(['Material', 'new', 'ignore'].map(to), ['Material', 'Matreial', null]);
  });

  it('asks which of two columns is meant that are alike in the same way', async () => {
    const file = csv(['SKU', 'Category', 'Preis', 'Verkaufspreis'], 20, (row) => [`S-${row}`, 'A > B', row, row]);
    const proposal = await proposalFor(file, { attributes: [{ name: 'Price', type: 'DECIMAL' }] });
    assert.deepEqual(
      [lineOf(proposal, 'Preis').verdict, lineOf(proposal, 'Verkaufspreis').to],
      ['ambiguous', 'Verkaufspreis'],
    );
    assert.match(lineOf(proposal, 'Preis').reason, /"Verkaufspreis"/);
  });

  it('asks for the key where no name says it, and gives the column that it was taken for another place', async () => {
    const header = ['Code A', 'Code B', 'Category', 'Power', 'Torque', 'Spokes'];
    const file = csv(header, 30, (row) => [`A${row}`, `B${row}`, 'A > B', row % 9, row % 5, row % 7]);
    const proposal = await proposalFor(file);
    assert.equal(lineOf(proposal, 'Code A').verdict, 'ambiguous');
    const decided = decideOne(profileOf(proposal), null, 'Code B');
    assert.deepEqual(
      decided?.columns.map(({ to, from }) => [from, to]),
      [
        ['Code A', 'Code A'],
        ['Code B', 'SKU'],
        ['Category', 'Category Node'],
        ['Power', 'Power'],
        ['Torque', 'Torque'],
        ['Spokes', 'Spokes'],
      ],
    );
    profileSchema.parse(decided);
  });

  it('knows columns of groups by their names in them, and names new attributes by both', async () => {
    const header = 'Stammdaten;;;Preise;;UVP;\nArtikelnummer;Kategorie;Farbe;Netto;Brutto;Netto;Brutto\n';
    const rows = Array.from({ length: 30 }, (_, row) => `A-${row};A > B;rot;${row},50;${row},90;${row},10;${row},20`);
    const proposal = await proposalFor(`${header}${rows.join('\n')}\n`, { attributes: [{ name: 'Farbe' }] });
    assert.deepEqual(proposal.profile.format, { encoding: 'utf-8', delimiter: ';', headerRow: 2, headerRows: 2 });
    assert.deepEqual(
      proposal.lines.slice(0, 3).map(({ from, to, isNew }) => [from, to, isNew]),
      [
        ['Stammdaten – Artikelnummer', 'SKU', false],
        ['Stammdaten – Kategorie', 'Category Node', false],
        ['Stammdaten – Farbe', 'Farbe', false],
      ],
    );
    assert.equal(lineOf(proposal, 'UVP – Netto').to, 'UVP – Netto');
  });

  it('asks before a file of stock is imported as items, and before items are created without a category', async () => {
    const file = csv(['Artikelnummer', 'Bestand'], 30, (row) => [`A${row}`, row * 3]);
    const proposal = await proposalFor(file);
    assert.equal(proposal.kind.value, 'stock');
    assert.deepEqual(
      proposal.questions.map(({ column, readings }) => [column, readings.map(({ value }) => value)]),
      [
        [null, ['items']],
        [null, ['Items', 'none']],
      ],
    );
    const updates = decideOne(decideOne(profileOf(proposal), null, 'items') ?? profileOf(proposal), null, 'none');
    assert.deepEqual(
      profileSchema.parse(updates).columns.map(({ to }) => to),
      ['SKU', 'Bestand'],
    );
  });
});
