/** Files whose cells are divided by signs that few files have, as an inspection finds them: a blank, and control characters. */
import assert from 'node:assert/strict';
import { accepted, decide, openQuestions } from '@longshore/client';
import { exportFile } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WAIT = { prefer: 'wait=25' };
const EVERYTHING = { attributes: true, options: true, categories: true, assignments: true };

describe('a file whose delimiter is rare', function () {
  this.timeout(90_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    await world.startWorkers({}, ['bulk', 'export']);
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  for (const [title, sign] of [
    ['a blank', ' '],
    ['U+001F', '\u001f'],
    ['U+0001', '\u0001'],
    ['^', '^'],
  ] as const) {
    it(`is imported as proposed where it is ${title}, and its error file goes in again`, async () => {
      const rows = Array.from({ length: 24 }, (_, row) =>
        [`R-${100 + row}`, ['City', 'Helme'][row % 2], row === 13 ? 'gratis' : `${row}.50`, row].join(sign),
      );
      const text = `${[['Artikelnummer', 'Kategorie', 'Preis', 'Bestand'].join(sign), ...rows].join('\n')}\n`;
      const file = await shop.hold(text);
      const answer = await shop.call('GET', `/files/product/${file.id}/proposal`, { headers: WAIT });
      assert.equal(answer.status, 200, answer.text);
      const { proposal } = answer.body;
      assert.equal(proposal.profile.format.delimiter, sign);
      const first = openQuestions(proposal).map(({ column, readings }) => [column, readings[0]?.value ?? '']);
      const body = { ...accepted(decide(proposal, Object.fromEntries(first))), createMissing: EVERYTHING };
      const done = await shop.imported(file, body);
      const failed = done.errors.map(({ row, column }) => [row, column]);
      assert.deepEqual([done.created, failed], [23, [[15, 'Preis']]], done.message);
      const errors = await shop.download(done.errorFile ?? '');
      const again = await shop.importFile(errors.name, errors.bytes.toString().replace('gratis', '13.50'));
      assert.equal(again.created, 1, JSON.stringify(again));
      const { profile } = body;
      const written = await exportFile(shop, { body: { profile } });
      const same = await shop.importFile(written.name, written.bytes, { profile });
      assert.deepEqual([same.unchanged, same.failed], [24, 0], JSON.stringify(same));
    });
  }

  it('has messages without blanks in the error file of a text without quotes', async () => {
    await shop.define({ attributes: [{ name: 'Price', type: 'DECIMAL' }], categories: { Hats: ['Price'] } });
    const profile = {
      fileType: 'ITEM_IMPORT',
      format: { delimiter: ' ', quote: '' },
      columns: [
        { to: 'SKU', from: 'Nr' },
        { to: 'Category Node', constant: 'Hats' },
        { to: 'Price', from: 'VK', steps: [{ step: 'number', decimal: ',' }] },
      ],
    };
    const done = await shop.importFile('x.csv', 'Nr VK\na 1,5\nb "gratis"\n', { profile });
    const { name, bytes } = await shop.download(done.errorFile ?? '');
    const [header = '', row = ''] = bytes.toString().split(/\r?\n/);
    assert.equal(row.split(' ').length, header.split(' ').length, bytes.toString());
    const again = await shop.importFile(name, bytes.toString().replace('b "gratis"', 'b 2,5'));
    assert.equal(again.created, 1, JSON.stringify(again));
  });
});
