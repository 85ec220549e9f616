/** Imports of somebody's own files by a profile: what comes of their rows. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { Shop } from '../../support/http/shop.js';
import { defineGermanShop, germanFile, germanProfile } from '../../support/models/german-shop.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

describe("imports of somebody's own file by a profile", function () {
  this.timeout(120_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ chunkRows: 50 });
    await world.startWorkers({}, BULK_ONLY);
  });
  beforeEach(async () => {
    shop = await defineGermanShop(await world.newShop());
  });
  after(() => world.stop());

  it('imports the file of a German shop, and reports each planted mistake by its row, its column and its text', async () => {
    const { bytes, lines, mistakes } = await germanFile(400);
    await shop.ask('POST', '/import-profiles', { body: { name: 'ERP', profile: germanProfile() } });
    const jobId = await shop.upload('shop.csv', bytes, { profile: 'erp' });
    const done = await shop.outcome(jobId);
    assert.equal(done.status, 'COMPLETED_PARTIALLY', done.message);
    assert.deepEqual(
      done.errors.map(({ row, column, value }) => ({ row, column, value: value ?? '' })),
      mistakes,
    );
    assert.equal(done.created, 400 - mistakes.length);
    const { profile } = await shop.ask('GET', `/jobs/${jobId}`);
    assert.deepEqual(profile, { name: 'ERP', version: 1 });

    const header = lines[0] ?? [];
    const row = lines[7] ?? [];
    const cell = (name: string) => row[header.indexOf(name)] ?? '';
    const item = await shop.item(cell('Artikelnummer'));
    const number = (name: string) =>
      String(
        Number(
          cell(name)
            .replace(/\.|[a-z ]+/g, '')
            .replace(',', '.'),
        ),
      );
    assert.equal(item?.nodeName, `PRIMARY->${cell('Kategorie').replace(' > ', '->')}`);
    assert.equal(String(item?.attributes.Price), number('Preis'));
    assert.equal(String(item?.attributes.Weight), number('Gewicht'));
    assert.equal(item?.attributes.Listed, cell('Aktiv') === 'ja');
    assert.equal(item?.attributes.Released, cell('Erscheinungsdatum').split('.').reverse().join('-'));
    assert.equal(item?.attributes.Keywords, cell('Schlagworte').replaceAll('|', ';'));
    assert.deepEqual(done.warnings, [], 'what a profile decides is not ambiguous');
  });

  it('leaves all rows unchanged when the same file comes again, packed and held, with the profile in the request', async () => {
    const { bytes, mistakes } = await germanFile(120);
    assert.equal(
      (await shop.importFile('shop.csv', bytes, { profile: germanProfile() })).created,
      120 - mistakes.length,
    );
    const file = await shop.hold(gzipSync(bytes), { fileName: 'shop.csv.gz' });
    const again = await shop.imported(file, { profile: germanProfile() });
    assert.deepEqual([again.created, again.updated, again.unchanged], [0, 0, 120 - mistakes.length]);
    assert.deepEqual((await shop.ask('GET', `/jobs/${file.jobId}`)).profile, { name: null, version: null });
  });

  it('counts the rows of the source: titles, skipped, blank and left out rows included', async () => {
    const profile = {
      fileType: 'ITEM_IMPORT',
      format: { headerRow: 3, skipFirst: 1, skipLast: 1 },
      columns: [
        { to: 'SKU', from: 'Nr', steps: [{ step: 'trim' }] },
        { to: 'Category Node', constant: 'Zubehör->Helme' },
        { to: 'Price', from: 'VK', steps: [{ step: 'number', decimal: ',', thousands: '.' }] },
      ],
      skipRowsWhen: [{ column: 'Nr', is: { matches: 'Gesamt.*' } }],
    };
    const text = 'Liste\n\nNr;VK;Notiz\n(Text);(EUR);\na;1,5;x\n\nGesamt A;1,5;\nb;gratis;\nc;2;1;1\n ;7;\nSumme;99;\n';
    const done = await shop.importFile('list.csv', text, { profile });
    const found = done.errors.map(({ row, column, code }) => [row, column, code]);
    assert.deepEqual(found, [
      [8, 'VK', 'PROFILE_STEP_FAILED'],
      [9, null, 'ROW_FIELD_COUNT'],
      [10, 'Nr', 'SKU_REQUIRED'],
    ]);
    assert.equal(done.total, 4);
    assert.match(done.errors[0]?.message ?? '', /the step "number" of the profile .*"VK".*"gratis" is no number/);
    assert.equal(String((await shop.values('Price')).a), '1.5');
    assert.deepEqual(
      done.warnings.map(({ code, path }) => [code, path]),
      [
        ['ROW_LEFT_OUT', 'Nr'],
        ['COLUMN_NOT_MAPPED', 'Notiz'],
      ],
    );
  });

  it('gives the first row the next number of a series, wherever it is in the file', async () => {
    await shop.define({ attributes: [{ name: 'Number', type: 'SERIAL' }], categories: { Numbered: ['Number'] } });
    const columns = [
      { to: 'SKU', from: 'Nr' },
      { to: 'Category Node', constant: 'Numbered' },
    ];
    for (const onError of ['skip', 'abort']) {
      const profile = { fileType: 'ITEM_IMPORT', format: { headerRow: 4, skipFirst: 2 }, columns };
      const text = `a\nb\nc\nNr,x\n1,2\n3,4\n${onError}-1,x\n${onError}-2,x\n`;
      assert.equal((await shop.importFile('x.csv', text, { profile, onError })).created, 2);
    }
    const numbers = Object.values(await shop.values('Number')).filter((value) => value !== undefined);
    assert.deepEqual(numbers.map(Number).sort(), [1, 2, 3, 4]);
  });
});
