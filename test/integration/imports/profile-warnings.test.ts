/** What the warnings of an import by a profile quote: the file, and not what its profile has made of it. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { defineGermanShop } from '../../support/models/german-shop.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const unit = (name: string) => ({ step: 'removeUnit', units: [name] });
const PROFILE = {
  fileType: 'ITEM_IMPORT',
  columns: [
    { to: 'SKU', from: 'Nr' },
    { to: 'Category Node', constant: 'Zubehör->Helme' },
    { to: 'Price', from: 'VK', steps: [unit('EUR')] },
    {
      to: 'Title',
      from: ['Name', 'Zusatz'],
      combine: 'join',
      joinWith: ' / ',
      steps: [{ step: 'prefix', text: 'Neu: ' }],
    },
  ],
};
const ROWS = [
  { Nr: 'a', VK: '2 EUR', Name: 'Helm', Zusatz: 'rot' },
  { Nr: 'b', VK: '1.950 EUR', Name: 'GrÃ¶ÃŸe "L"', Zusatz: 'blau' },
  { Nr: 'c', VK: '2.950 EUR', Name: 'GrÃ¶ÃŸe M', Zusatz: '' },
  // It is refused, and shows how the others may be meant.
  { Nr: 'd', VK: '2.950,27 EUR', Name: 'Helm', Zusatz: '' },
];

/** Forms of the file, each of them with the rows of two chunks. */
const FILES = {
  'liste.csv': () => {
    const lines = ROWS.map((row) => Object.values(row).map((cell) => `"${cell.replaceAll('"', '""')}"`));
    return ['Nr;VK;Name;Zusatz', ...lines.map((cells) => cells.join(';')), ''].join('\n');
  },
  'liste.json': () => JSON.stringify(ROWS),
} as const;

describe('warnings of an import by a profile', function () {
  this.timeout(120_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ chunkRows: 2 });
    await world.startWorkers({}, BULK_ONLY);
  });
  beforeEach(async () => {
    shop = await defineGermanShop(await world.newShop());
  });
  after(() => world.stop());

  for (const [name, content] of Object.entries(FILES)) {
    for (const validateOnly of [false, true]) {
      it(`quote ${name}${validateOnly ? ' in a dry run' : ''}`, async () => {
        const { warnings, created } = await shop.importFile(name, content(), { profile: PROFILE, validateOnly });
        assert.equal(created, 3);
        assert.deepEqual(
          warnings.map(({ code, path }) => [code, path]),
          [
            ['NUMBER_AMBIGUOUS', 'VK'],
            ['TEXT_MISREAD', 'Name, Zusatz'],
          ],
        );
        const [number, text] = warnings.map(({ example }) => example);
        assert.match(
          number ?? '',
          /^"1\.950 EUR" was read as 1\.95, but "2\.950,27 EUR" in the column "VK" has another/,
        );
        assert.match(text ?? '', /^"GrÃ¶ÃŸe "L" \/ blau" looks like text that was read in a wrong encoding/);
      });
    }
  }

  describe('that leaves rows out', () => {
    const LEFT_OUT = [
      { Nr: '', VK: '1 EUR', Name: 'Bild', Zusatz: '' },
      { Nr: 'Summe', VK: '9 EUR', Name: '', Zusatz: '' },
      { Nr: ' ', VK: '', Name: 'Bild', Zusatz: '' },
    ];
    const profile = {
      ...PROFILE,
      skipRowsWhen: [
        { column: 'Nr', is: 'empty' },
        { column: 'Nr', is: { equals: ['Summe', 'Total'] } },
        { column: 'Name', is: { matches: 'Nie.*' } },
      ],
    };
    const all = [ROWS[0], ...LEFT_OUT];
    const csv = (rows: readonly (object | undefined)[]) =>
      ['Nr;VK;Name;Zusatz', ...rows.map((row) => Object.values(row ?? {}).join(';')), ''].join('\n');

    for (const [name, content, first] of [
      ['liste.csv', csv(all), 2],
      ['liste.json', JSON.stringify(all), 1],
    ] as const) {
      it(`counts them for each condition, and names the first, in ${name}`, async () => {
        const { warnings, created } = await shop.importFile(name, content, { profile });
        assert.equal(created, 1);
        const left = warnings.filter(({ code }) => code === 'ROW_LEFT_OUT');
        assert.deepEqual(
          left.map(({ path, count, rows }) => [path, count, rows]),
          [
            ['Nr', 2, `${first + 1}, ${first + 3}`],
            ['Nr', 1, `${first + 2}`],
          ],
        );
        assert.match(left[0]?.example ?? '', /leaves out rows whose "Nr" is empty: nothing of them was imported/);
        assert.match(left[1]?.example ?? '', /whose "Nr" is "Summe" or "Total"/);
      });
    }

    it('names no more than ten of them', async () => {
      const rows = [ROWS[0], ...Array.from({ length: 30 }, () => LEFT_OUT[0])];
      const { warnings } = await shop.importFile('liste.csv', csv(rows), { profile });
      const [left] = warnings.filter(({ code }) => code === 'ROW_LEFT_OUT');
      assert.deepEqual([left?.count, left?.rows], [30, '3, 4, 5, 6, 7, 8, 9, 10, 11, 12, …']);
    });

    it('says how many they are when there are no others', async () => {
      const { reason, message } = await shop.importFile('liste.csv', csv(LEFT_OUT), { profile });
      assert.equal(reason, 'NO_ROWS');
      assert.match(message, /2 whose "Nr" is empty, 1 whose "Nr" is "Summe" or "Total"/);
    });
  });
});
