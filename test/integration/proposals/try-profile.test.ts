/** A profile is tried on the first rows of a file: each cell becomes what an import makes of it. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { odsFile, odsRow } from '../../support/models/ods-file.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CSV = `Artikel;Name;Preis;Ab;Farben;Gruppe
A-1;"Rad; blau";1.950,27;03.04.2026;rot|blau;Storage > Disk
A-2;<b>x</b>;auf Anfrage;31.02.2026;;Storage > Tape
Summe;;1,00;;;
`;
const COLUMNS = [
  { to: 'SKU', from: 'Artikel', steps: [{ step: 'trim' }] },
  { to: 'Title', from: ['Name', 'Artikel'], combine: 'first', steps: [{ step: 'stripHtml' }] },
  { to: 'Price', from: 'Preis', steps: [{ step: 'number', decimal: ',', thousands: '.' }] },
  { to: 'Launch', from: 'Ab', steps: [{ step: 'date', formats: ['dd.MM.yyyy'] }] },
  { to: 'Colours', from: 'Farben', steps: [{ step: 'list', separator: '|' }] },
  { to: 'Category Node', from: 'Gruppe', steps: [{ step: 'path', separator: '>' }] },
  { to: 'Brand', constant: 'Acme' },
];
const PROFILE = { fileType: 'ITEM_IMPORT', columns: COLUMNS, skipRowsWhen: [] as object[] };

describe('a profile that is tried', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await world.newShop();
  });
  after(() => world.stop());

  async function uploaded(name: string, bytes: string | Buffer): Promise<string> {
    const body = { fileName: name, fileType: 'ITEM_IMPORT', hold: true };
    const file = await shop.ask('POST', '/files/product', { body });
    assert.equal((await shop.put(file, bytes)).status, 200);
    return file.id;
  }
  const ask = (id: string, profile: unknown) =>
    shop.call('POST', `/files/product/${id}/actions/try-profile`, {
      body: { profile },
      headers: { prefer: 'wait=25' },
    });
  interface Cell {
    readonly text: string;
    readonly value: string | null;
    readonly problem: string | null;
  }
  const valuesOf = ({ cells }: { cells: readonly Cell[] }) => cells.map(({ value }) => value);

  it('shows what each cell becomes, and what a step cannot convert', async () => {
    const id = await uploaded('a.csv', CSV);
    const skipRowsWhen = [{ column: 'Artikel', is: { equals: ['Summe'] } }];
    const { status, body } = await ask(id, { ...PROFILE, skipRowsWhen });
    assert.equal(status, 200, JSON.stringify(body));
    const { columns, rows, problems, differences } = body.trial;
    assert.deepEqual([problems, differences], [[], []]);
    assert.deepEqual(columns, ['SKU', 'Title', 'Price', 'Launch', 'Colours', 'Category Node', 'Brand']);
    const [first, second, third] = rows;
    assert.deepEqual(valuesOf(first), [
      ...['A-1', 'Rad; blau', '1950.27', '2026-04-03', 'rot;blau', 'Storage->Disk', 'Acme'],
    ]);
    assert.deepEqual([first.row, first.cells[2].text, first.isLeftOut], [2, '1.950,27', false]);
    assert.deepEqual(valuesOf(second), ['A-2', 'x', null, null, '', 'Storage->Tape', 'Acme']);
    assert.match(second.cells[2].problem, /"number".*"Preis".*"auf Anfrage"/);
    assert.match(second.cells[3].problem, /a day or a time that does not exist/);
    assert.equal(third?.isLeftOut ?? true, true);
  });

  it('says which columns the file lacks and where its form is another one, and shows the rest', async () => {
    const id = await uploaded('b.csv', CSV);
    const columns = [
      ...COLUMNS.slice(0, 1),
      { to: 'Title', from: 'Nam' },
      { to: 'Stock', from: 'Lager', optional: true },
    ];
    const { trial } = (await ask(id, { ...PROFILE, columns, format: { delimiter: ',' } })).body;
    assert.match(trial.problems.join(), /reads the column "Nam".*did you mean "Name"/);
    assert.match(trial.differences.join(), /the delimiter is ",", and the file has ";"/);
    assert.deepEqual(valuesOf(trial.rows[0]), ['A-1', '', '']);
  });

  it('is refused as a profile that is saved would be, with the place', async () => {
    const id = await uploaded('c.csv', CSV);
    const { status, body } = await ask(id, { ...PROFILE, columns: [{ to: 'SKU' }] });
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), /profile\.columns\.0\.from/);
  });

  it('reads paths of JSON', async () => {
    const id = await uploaded('d.json', '[{"id":"J-1","price":{"net":12.5},"tags":["a","b"]}]');
    const columns = [
      { to: 'SKU', from: 'id' },
      { to: 'Price', from: 'price/net' },
      { to: 'Tags', from: 'tags', steps: [{ step: 'list', separator: '\n' }] },
    ];
    const { trial } = (await ask(id, { ...PROFILE, columns })).body;
    assert.deepEqual(valuesOf(trial.rows[0]), ['J-1', '12.5', 'a;b']);
  });

  it('reads the typed cells of a workbook as the import does: a number is no text that a step has to read', async () => {
    const cell = (type: string, value: string, text: string) =>
      `<table:table-cell office:value-type="${type}" office:${type === 'date' ? 'date-' : ''}value="${value}"><text:p>${text}</text:p></table:table-cell>`;
    const typed = `<table:table-row>${cell('string', '', 'O-1')}${cell('float', '1950.27', '1.950,27')}${cell('date', '2026-04-03', '3.4.26')}</table:table-row>`;
    const rows = `${odsRow('Artikel', 'Preis', 'Ab')}${typed}${odsRow('O-2', '1.950,27', '03.04.2026')}`;
    const id = await uploaded('typed.ods', await odsFile({ rows }));
    const [key, , price, launch] = COLUMNS;
    const columns = [key, { ...price, to: 'Amount' }, { ...launch, to: 'Start' }];
    const profile = { ...PROFILE, columns: [...columns, { to: 'Category Node', constant: 'Typed' }] };
    const { status, body } = await ask(id, profile);
    assert.equal(status, 200, JSON.stringify(body));
    for (const [index, sku] of ['O-1', 'O-2'].entries())
      assert.deepEqual(valuesOf(body.trial.rows[index]), [sku, '1950.27', '2026-04-03', 'Typed']);
    await shop.define({
      attributes: [
        { name: 'Amount', type: 'DECIMAL' },
        { name: 'Start', type: 'DATETIME' },
      ],
      categories: { Typed: ['Amount', 'Start'] },
    });
    const answer = await shop.call('POST', `/files/product/${id}/actions/import`, {
      body: { profile },
      headers: { prefer: 'wait=25' },
    });
    assert.equal(answer.body.progressTracker.createdCount, 2, JSON.stringify(answer.body));
  });

  it('makes of cells what the import makes of them', async () => {
    await shop.define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }, 'Colours', 'Brand'],
      categories: { 'Storage->Disk': ['Title', 'Price', 'Colours', 'Brand'] },
    });
    const id = await uploaded('e.csv', CSV);
    const columns = COLUMNS.filter(({ to }) => to !== 'Launch');
    const profile = { ...PROFILE, columns, unknownColumns: 'ignore' };
    const { trial } = (await ask(id, profile)).body;
    const answer = await shop.call('POST', `/files/product/${id}/actions/import`, {
      body: { profile },
      headers: { prefer: 'wait=25' },
    });
    assert.equal(answer.body.progressTracker.createdCount, 1, JSON.stringify(answer.body));
    const { attributes } = await shop.ask('GET', '/api-product/v1/product/A-1');
    const shown = Object.fromEntries(
      trial.columns.map((name: string, index: number) => [name, trial.rows[0].cells[index].value]),
    );
    for (const name of ['Title', 'Price', 'Colours', 'Brand'])
      assert.equal(String(attributes[name]), shown[name], name);
  });
});
