/** An inspection and a proposal that are told how the file is written: by their request, or by the file's announcement. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { odsFile, odsRow } from '../../support/models/ods-file.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WAIT = { prefer: 'wait=25' };
/** In ISO-8859-2; read as windows-1252, the name of the second column is another one. */
const POLISH = Buffer.from('Indeks;D\xb3ugo\xb6\xe6;Cena\nA-1;12;1,5\nA-2;14;2,5\nA-3;15;3,5\n', 'latin1');
const DIVIDED = 'SKU,Name;Price\na,x;1\nb,y;2\nc,z;3\n';
const TITLED = 'Camping;2026;May\nSKU;Name;Price\na;Tent;1\nb;Tarp;2\n';

describe('a file that is read as it is said', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await world.newShop();
  });
  after(() => world.stop());

  const hold = (content: string | Buffer, over: object = {}) => shop.hold(content, over);
  const ask = ({ id }: { id: string }, what: string, query = '') =>
    shop.call('GET', `/files/product/${id}/${what}${query}`, { headers: WAIT });
  const inspected = async (file: { id: string }, query = '') => {
    const { status, body, text } = await ask(file, 'inspection', query);
    assert.equal(status, 200, text);
    return body.inspection;
  };
  const proposed = async (file: { id: string }, query = '') => {
    const { status, body, text } = await ask(file, 'proposal', query);
    assert.equal(status, 200, text);
    return body.proposal;
  };
  const names = ({ columns }: { columns: { name: string }[] }) => columns.map(({ name }) => name);
  const sources = ({ lines }: { lines: { from: string }[] }) => lines.map(({ from }) => from);

  it('has the names that another encoding makes, and so has its proposal', async () => {
    const file = await hold(POLISH);
    assert.deepEqual(names(await inspected(file)), ['Indeks', 'Długość', 'Cena']);
    const other = await inspected(file, '?encoding=windows-1252');
    assert.deepEqual(names(other), ['Indeks', 'D³ugo¶æ', 'Cena']);
    assert.deepEqual([other.format.encoding.value, other.format.encoding.verdict], ['windows-1252', 'certain']);
    const proposal = await proposed(file, '?encoding=windows-1252');
    assert.deepEqual(sources(proposal), ['Indeks', 'D³ugo¶æ', 'Cena']);
    assert.equal(proposal.profile.format.encoding, 'windows-1252');
    assert.deepEqual(names(await inspected(file)), ['Indeks', 'D³ugo¶æ', 'Cena'], 'what was asked for last');
  });

  it('is read with backslashes before quotes, and imported so by its proposal', async () => {
    const file = await hold(
      'SKU,Name,Size\n"b-1","Pipe 5\\"","a\\\\"\n"b-2","says \\"yes\\", and no","b"\n"b-3","Tee","c"\n',
    );
    const { format, sample } = await inspected(file);
    assert.deepEqual([format.quote.value, format.escape], ['"', '\\']);
    assert.deepEqual(sample[1].cells, ['b-2', 'says "yes", and no', 'b']);
    assert.equal((await proposed(file)).profile.format.escape, '\\');
    assert.equal((await inspected(await hold(DIVIDED))).format.escape, null);
  });

  it('has the columns that another delimiter makes', async () => {
    const file = await hold(DIVIDED);
    assert.deepEqual(names(await inspected(file, '?delimiter=%2C')), ['SKU', 'Name;Price']);
    const proposal = await proposed(file, '?delimiter=%3B');
    assert.deepEqual([sources(proposal), proposal.profile.format.delimiter], [['SKU,Name', 'Price'], ';']);
  });

  it('has the columns of another header', async () => {
    const file = await hold(TITLED);
    assert.deepEqual(names(await inspected(file, '?headerRow=1')), ['Camping', '2026', 'May']);
    const proposal = await proposed(file, '?headerRow=2');
    assert.deepEqual([sources(proposal), proposal.profile.format.headerRow], [['SKU', 'Name', 'Price'], 2]);
    const { status, text } = await ask(file, 'inspection', '?headerRow=40');
    assert.equal(status, 422, text);
    assert.match(text, /40/);
    assert.equal((await inspected(file, '?headerRow=2')).format.headerRow.value, 2, 'after one that there is not');
  });

  it('has the columns that two rows name, if that is said, and those of one row, if that is said', async () => {
    const file = await hold('Master;;Prices;\nSKU;Name;net;gross\na;Tent;1;2\nb;Tarp;2;3\n');
    assert.deepEqual(names(await inspected(file)), ['SKU', 'Name', 'net', 'gross'], 'one row is enough');
    const both = await inspected(file, '?headerRow=2&headerRows=2');
    assert.deepEqual(names(both), ['Master – SKU', 'Master – Name', 'Prices – net', 'Prices – gross']);
    const { value, verdict, reason } = both.format.headerRow;
    assert.deepEqual([value, verdict, both.format.headerRows], [2, 'certain', 2]);
    assert.match(reason, /row 2 names the columns, and row 1 their groups/);
    const { profile } = await proposed(file, '?headerRow=2&headerRows=2');
    assert.deepEqual([profile.format.headerRow, profile.format.headerRows], [2, 2]);
    const grouped = await hold('EU;EU;US;US\nnet;gross;net;gross\n1,5;2,5;3,5;4,5\n2,5;3,5;4,5;5,5\n3,5;4,5;5,5;6,5\n');
    assert.equal((await inspected(grouped)).format.headerRows, 2, 'only both rows differ');
    assert.deepEqual(names(await inspected(grouped, '?headerRows=1')), ['net', 'gross', 'net (2)', 'gross (2)']);
    assert.equal((await inspected(grouped)).format.headerRows, 1, 'what was asked for last');
    const rows = (...cells: string[][]) => cells.map((row) => odsRow(...row)).join('');
    const sheets = `<table:table table:name="One">${rows(['Tents', 'Tents'], ['SKU', 'Name'], ['a', 'b'])}</table:table>`;
    const book = await hold(await odsFile({ sheets }), { fileName: 'one.ods' });
    assert.deepEqual(names(await inspected(book, '?headerRow=2&headerRows=2')), ['Tents – SKU', 'Tents – Name']);
  });

  it('is read as its announcement says, unless the request says something else', async () => {
    const announced = await hold(POLISH, { options: { encoding: 'windows-1252' } });
    assert.deepEqual(names(await inspected(announced)), ['Indeks', 'D³ugo¶æ', 'Cena']);
    assert.deepEqual(names(await inspected(announced, '?encoding=iso-8859-2')), ['Indeks', 'Długość', 'Cena']);
    const divided = await hold(DIVIDED, { options: { delimiter: ';' } });
    assert.deepEqual(names(await inspected(divided)), ['SKU,Name', 'Price']);
    const rows = (...cells: string[][]) => cells.map((row) => odsRow(...row)).join('');
    const sheets = `<table:table table:name="One">${rows(['a', 'b'], ['1', '2'])}</table:table><table:table table:name="Two">${rows(['c', 'd'], ['3', '4'])}</table:table>`;
    const book = await hold(await odsFile({ sheets }), { fileName: 'two.ods', options: { sheet: 'Two' } });
    const { format } = await inspected(book);
    assert.deepEqual([format.sheet, format.sheetChoice.verdict], ['Two', 'certain']);
    assert.equal((await proposed(book)).profile.format.sheet, 'Two');
  });

  it('is not inspected again and again when its announcement does not fit', async () => {
    const sheets = `<table:table table:name="One">${odsRow('a', 'b')}${odsRow('1', '2')}</table:table>`;
    const book = await hold(await odsFile({ sheets }), { fileName: 'one.ods', options: { sheet: 'Two' } });
    const first = await ask(book, 'inspection');
    assert.equal(first.status, 422, first.text);
    const again = await shop.call('GET', `/files/product/${book.id}/inspection`);
    assert.deepEqual([again.status, again.body], [422, first.body]);
    assert.equal((await inspected(book, '?sheet=One')).format.sheet, 'One');
  });

  it('is told what does not apply to its form', async () => {
    const json = await hold('[{"sku":"a"}]', { fileName: 'a.json' });
    const csv = await hold('SKU\na\n');
    for (const [file, query, message] of [
      [json, '?delimiter=%3B', /delimiter.*is of \.csv and \.tsv.*leave it out/],
      [json, '?headerRow=2', /headerRow.*is of tables/],
      [csv, '?encoding=klingon', /encoding.*klingon/],
      [csv, '?delimiter=%22', /delimiter.*one character/],
      [csv, '?headerRow=0', /headerRow/],
      [csv, '?headerRows=2', /headerRows: needs \\"headerRow\\", the number of the lower of both rows/],
      [csv, '?headerRows=2&headerRow=1', /headerRows: needs \\"headerRow/],
      [csv, '?headerRows=3', /headerRows/],
      [json, '?headerRows=1', /headerRows.*is of tables/],
    ] as const) {
      const { status, text } = await ask(file, 'inspection', query);
      assert.equal(status, 400, `${query}: ${text}`);
      assert.match(text, message);
    }
  });

  it('is asked which of two rows is the header, and imported with the one that was decided', async () => {
    const file = await hold('Artikel;Text;Wert\nSKU;Name;Price\na;Tent;1\nb;Tarp;2\nc;Mat;3\n');
    const { profile } = await proposed(file);
    const asked = profile.undecided.find(({ about }: { about: string }) => about === 'headerRow');
    const rows = asked.readings.map(({ row, format }: { row: number; format: object }) => [row, format]);
    assert.deepEqual(rows, [
      [2, { headerRow: 2 }],
      [1, { headerRow: 1 }],
    ]);
    assert.match(asked.readings[1].example, /Artikel.*Text.*Wert/);
    const refused = await shop.post(`/files/product/${file.id}/actions/import`, { profile });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /headerRow.*row 2.*row 1/s);
    const told = await proposed(file, '?headerRow=2');
    assert.deepEqual(
      (told.profile.undecided ?? []).filter(({ about }: { about: string }) => about === 'headerRow'),
      [],
    );
  });
});
