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
});
