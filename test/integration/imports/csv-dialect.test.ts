/** CSV and TSV as people and programs write them: no row is shifted, none is lost. */
import assert from 'node:assert/strict';
import { forEachReader } from '../../support/for-each-reader.js';
import { type FileOptions, type Outcome, places, type Shop } from '../../support/http/shop.js';
import { workbookFile } from '../../support/models/workbook-file.js';
import { startWorld, type World } from '../../support/worlds/world.js';

forEachReader('the CSV dialect', (environment) => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2, environment });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Title', 'Note'],
      categories: { Disk: ['Title', 'Note'] },
    });
  });

  const HEADER = 'SKU,Category Node,Title,Note';
  const importText = (text: string, options?: FileOptions, name = 'items.csv'): Promise<Outcome> =>
    shop.importFile(name, text, options);
  /** SKU → [Title, Note]. */
  const stored = async () =>
    Object.fromEntries((await shop.items()).map(({ sku, attributes: { Title, Note } }) => [sku, [Title, Note]]));
  const assertRejected = (outcome: Outcome, reason: string, message: RegExp) => {
    assert.deepEqual([outcome.status, outcome.reason], ['REJECTED', reason], outcome.message);
    assert.match(outcome.message, message);
    assert.deepEqual([outcome.created, outcome.failed, outcome.errors.length], [0, 0, 0]);
  };

  for (const [name, end] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['lone CR', '\r'],
  ] as const) {
    it(`${name} ends a row, with or without one at the end of the file`, async () => {
      for (const last of ['', end]) {
        const outcome = await importText(`${[HEADER, 'a,Disk,1,x', 'b,Disk,2,y', 'c,Disk,3,z'].join(end)}${last}`);
        assert.deepEqual([outcome.status, outcome.total], ['COMPLETED', 3]);
      }
      assert.deepEqual(await stored(), { a: ['1', 'x'], b: ['2', 'y'], c: ['3', 'z'] });
    });
  }

  it('line ends may be mixed, and blank lines make no rows but count', async () => {
    const outcome = await importText(`\n${HEADER}\r\n\r\na,Disk,1,\n\r\rb,Disk\rc,Disk,3,\n\n\n`);
    assert.deepEqual(places(outcome), [[7, null, 'ROW_FIELD_COUNT']]);
    assert.equal(outcome.created, 2);
  });

  it('a newline inside quotes belongs to the text, whichever it is', async () => {
    const outcome = await importText(`${HEADER}\na,Disk,"1\n2","x\r\ny"\nb,Disk,"\r",""\nc,Disk,"3\n\n4",\nd,Disk,5\n`);
    // A row that goes over several lines is one row, as in a spreadsheet.
    assert.deepEqual(places(outcome), [[5, null, 'ROW_FIELD_COUNT']]);
    assert.deepEqual(await stored(), { a: ['1\n2', 'x\r\ny'], b: ['\r', undefined], c: ['3\n\n4', undefined] });
  });

  it('quotes: doubled inside, literal in the middle, delimiters and blanks kept', async () => {
    await importText(
      `${HEADER}\n"a",Disk,"say ""hi""",6" disk\nb,Disk," x ", y \nc,Disk,"a,b;c","""" \n`.replace('"""" ', '""""'),
    );
    assert.deepEqual(await stored(), { a: ['say "hi"', '6" disk'], b: [' x ', ' y '], c: ['a,b;c', '"'] });
  });

  it('text after a closing quote is an error of its row alone', async () => {
    const outcome = await importText(`${HEADER}\na,Disk,"6" disk",x\nb,Disk,1,"y" \nc,Disk,2,z\n`);
    assert.deepEqual(places(outcome), [
      [2, 'Title', 'INVALID_TEXT'],
      [3, 'Note', 'INVALID_TEXT'],
    ]);
    assert.match(outcome.errors[0]?.message ?? '', /Row 2, cell 3.*A quote inside a quoted cell must be doubled/);
    assert.deepEqual(await stored(), { c: ['2', 'z'] });
  });

  it('a ragged row is an error of that row, never a shifted one', async () => {
    const outcome = await importText(`${HEADER}\na,Disk,1\nb,Disk,1,2,3\nc,Disk,1,2\n\nd\n,,,\n,Disk,,\n`);
    assert.deepEqual(places(outcome), [
      [2, null, 'ROW_FIELD_COUNT'],
      [3, null, 'ROW_FIELD_COUNT'],
      [6, null, 'ROW_FIELD_COUNT'],
      // The row of empty cells is passed over, and counts as a row of the file.
      [8, 'SKU', 'SKU_REQUIRED'],
    ]);
    assert.deepEqual(await stored(), { c: ['1', '2'] });
  });

  it('rows of empty cells are no rows, in quotes or not, in whatever format', async () => {
    for (const [name, delimiter] of [
      ['a.csv', ','],
      ['a.csv', ';'],
      ['a.tsv', '\t'],
    ] as const) {
      const header = ['SKU', 'Category Node', 'Title'];
      const blank = [
        ['', '""', '""'],
        ['""', '""', '""'],
        ['', '', ''],
        ['""', '""', '""', '""'],
      ];
      const rows = [header, ['a', 'Disk', name], ...blank, ['""', 'Disk', '""'], ['""']];
      const outcome = await shop.importFile(name, rows.map((cells) => cells.join(delimiter)).join('\n'));
      assert.deepEqual([places(outcome), outcome.total], [[[7, 'SKU', 'SKU_REQUIRED']], 2]);
    }
    const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    const rows = [
      ['SKU', 'Category Node', 'Title'].map(cell),
      ['', '', ''].map(cell),
      ['a', 'Disk', 'b'].map(cell),
      ['<c t="str"><f>""</f><v></v></c>', '<c><f>""</f><v/></c>', '<c t="s"><v>0</v></c>'],
    ];
    const sheet = rows.map((cells) => `<row>${cells.join('')}</row>`).join('');
    const workbook = await workbookFile({ rows: sheet, strings: '<si><t></t></si>' });
    const outcome = await shop.importFile('a.xlsx', workbook);
    assert.deepEqual([outcome.errors, outcome.total], [[], 1]);
  });

  it('a quote that never closes refuses the file and names the row where it opened', async () => {
    const rows = Array.from({ length: 9 }, (_, index) => `s${index},Disk,t,n`);
    rows[4] = 's4,Disk,"t,n';
    assertRejected(await importText([HEADER, ...rows].join('\n')), 'UNCLOSED_QUOTE', /opens in row 6 is never closed/);
    assertRejected(await importText(`${HEADER}\na,Disk,1,2\nb,Disk,1,"`), 'UNCLOSED_QUOTE', /row 3/);
    assert.deepEqual(await stored(), {});
  });

  it('an unclosed quote that a later quote seems to close is found out by the row that it makes', async () => {
    const outcome = await importText(`${HEADER}\na,Disk,"1,x\nb,Disk,"2",y\nc,Disk,3,z\n`);
    assert.deepEqual(places(outcome), [[2, 'Title', 'INVALID_TEXT']]);
    assert.deepEqual(await stored(), { c: ['3', 'z'] });
    assert.equal(outcome.total, 2);
  });

  for (const [delimiter, name] of [
    [',', 'commas'],
    [';', 'semicolons'],
    ['\t', 'tabs'],
    ['|', 'bars'],
  ] as const) {
    it(`${name} are found out by the header, and can be named`, async () => {
      const lines = [HEADER.split(',').join(delimiter), ['a', 'Disk', `"x${delimiter}y"`, 'z,;'].join(delimiter)];
      if (delimiter === ',' || delimiter === ';') lines[1] = lines[1]?.replace('z,;', '"z,;"') ?? '';
      for (const options of [{}, { delimiter }]) {
        const outcome = await importText(lines.join('\n'), options);
        assert.deepEqual([outcome.status, outcome.failed], ['COMPLETED', 0]);
      }
      assert.deepEqual(await stored(), { a: [`x${delimiter}y`, 'z,;'] });
    });
  }

  it('a TSV file has tabs, whatever else stands in it', async () => {
    const text = 'SKU\tCategory Node\tTitle\tNote\na\tDisk\tone, two, three\t"x\ty"\n';
    assert.equal((await importText(text, {}, 'items.tsv')).status, 'COMPLETED');
    assert.deepEqual(await stored(), { a: ['one, two, three', 'x\ty'] });
  });

  it('a header of one column is a table of one column', async () => {
    await importText(`${HEADER}\na,Disk,1,\nb,Disk,2,\n`);
    const outcome = await importText('SKU\na\n\nb\nmissing\n', { mode: 'update' });
    assert.deepEqual([outcome.unchanged, places(outcome)], [2, [[5, 'SKU', 'SKU_NOT_FOUND']]]);
  });

  it('cells that look like formulas are text', async () => {
    await importText(`${HEADER}\na,Disk,=1+1,"=HYPERLINK(""http://x"")"\nb,Disk,-1,@x\n`);
    assert.deepEqual(await stored(), { a: ['=1+1', '=HYPERLINK("http://x")'], b: ['-1', '@x'] });
  });
});
