/** Workbooks of another program: LibreOffice's go in, and ours open in it. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { attributeTemplateColumns } from '../../../src/domain/catalog/templates/definition-templates.js';
import type { Cell } from '../../../src/domain/formats/xlsx/cell.js';
import { places, type Shop } from '../../support/http/shop.js';
import { workbookOf } from '../../support/models/written-workbook.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const FIXTURES = new URL('../../../../test/fixtures/', import.meta.url);
const CONVERSION_MS = 120_000;
const isInstalled = spawnSync('soffice', ['--version'], { timeout: CONVERSION_MS }).status === 0;

describe('LibreOffice', () => {
  let world: World;
  let shop: Shop;
  let folder: string;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
    folder = await mkdtemp(join(tmpdir(), 'longshore-office-'));
  });
  after(async () => {
    await world.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: [
        'Title',
        { name: 'Stock', type: 'INTEGER' },
        { name: 'Weight', type: 'DECIMAL' },
        { name: 'Sold', type: 'DATETIME' },
        { name: 'Active', type: 'BOOLEAN' },
      ],
      categories: { Disk: ['Title', 'Stock', 'Weight', 'Sold', 'Active'] },
    });
  });

  /** Converts a workbook. @returns the bytes in the new format */
  async function converted(workbook: Buffer, format: 'xlsx' | 'csv' | 'ods'): Promise<Buffer> {
    const source = join(folder, 'source.xlsx');
    const out = join(folder, 'out');
    await writeFile(source, workbook);
    const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`;
    // UTF-8, every cell as it is shown.
    const filter = format === 'csv' ? 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true' : format;
    const options = [profile, '--headless', '--convert-to', filter, '--outdir', out, source];
    await promisify(execFile)('soffice', options, { timeout: CONVERSION_MS });
    return readFile(join(out, `source.${format}`));
  }

  /** Pending where the program is missing, and says so. */
  function withProgram(title: string, test: () => Promise<void>): void {
    if (isInstalled) it(title, test).timeout(CONVERSION_MS);
    else it(`${title} (soffice is not installed here)`);
  }

  for (const ending of ['xlsx', 'ods'] as const) {
    it(`writes cells of every kind that are read as they are: .${ending}`, () => importsTypedCells(ending));
  }

  async function importsTypedCells(ending: string): Promise<void> {
    const workbook = await readFile(new URL(`libreoffice-typed-cells.${ending}`, FIXTURES));
    const outcome = await shop.importFile(`items.${ending}`, workbook, { sheet: 'Disks' });
    assert.deepEqual([outcome.created, outcome.failed], [2, 1]);
    assert.deepEqual(places(outcome), [
      [6, 'Title', 'VALUE_TYPE'],
      [6, 'Stock', 'VALUE_TYPE'],
      [6, 'Weight', 'VALUE_TYPE'],
    ]);
    assert.deepEqual((await shop.item('007'))?.attributes, {
      Title: 'Fast disk',
      Stock: 12,
      Weight: '0.75',
      Sold: '2024-02-29',
      Active: true,
    });
    assert.deepEqual((await shop.item('4006381333931'))?.attributes, {
      Title: 'Größe <1 TB>\n"zweite" Zeile',
      Stock: 24,
      Weight: '0.25',
      Sold: '2024-02-29T18:30:00.000Z',
      Active: false,
    });
  }

  it('gets the failed rows of its own format as a workbook that is corrected and imported', async () => {
    const workbook = await readFile(new URL('libreoffice-typed-cells.ods', FIXTURES));
    const outcome = await shop.importFile('items.ods', workbook, { sheet: 'Disks' });
    const errors = await shop.download(outcome.errorFile ?? '');
    assert.equal(errors.name, 'errors-items.xlsx');
    const again = await shop.importFile('errors-items.xlsx', errors.bytes);
    assert.deepEqual(places(again), [
      [2, 'Title', 'VALUE_TYPE'],
      [2, 'Stock', 'VALUE_TYPE'],
      [2, 'Weight', 'VALUE_TYPE'],
    ]);
  });

  it('makes a workbook of a CSV file that is read as it is', async () => {
    const workbook = await readFile(new URL('libreoffice-from-csv.xlsx', FIXTURES));
    const outcome = await shop.importFile('items.xlsx', workbook);
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 2]);
    assert.deepEqual((await shop.item('0042'))?.attributes, {
      Title: '=1+1 is text',
      Stock: 5,
      Weight: '1.25',
      Sold: '2024-03-01',
      Active: true,
    });
    assert.equal((await shop.item('A-2'))?.attributes.Title, 'comma, quote " and semicolon ;');
  });

  const rows: Cell[][] = [
    ['007', 'Disk', ' edge\n<&> _x0041_ 😀', 5, 0.1, { date: '2024-02-29' }, true],
    ['b', 'Disk', '=SUM(A1)', 123_456_789_012_345, -1.5, { date: '2024-02-29T18:30:15Z' }, false],
  ];
  const header = ['SKU', 'Category Node', 'Title', 'Stock', 'Weight', 'Sold', 'Active'];

  withProgram('opens ours, and what it saves changes nothing', async () => {
    const ours = await workbookOf(
      header.map((title) => ({ title, format: title === 'SKU' ? 'text' : 'general' })),
      rows,
    );
    assert.equal((await shop.importFile('ours.xlsx', ours)).created, 2);
    const saved = await shop.importFile('saved.xlsx', await converted(ours, 'xlsx'));
    assert.deepEqual([saved.unchanged, saved.failed], [2, 0], JSON.stringify(saved.errors));
    const document = await shop.importFile('saved.ods.gz', gzipSync(await converted(ours, 'ods')));
    assert.deepEqual([document.unchanged, document.failed], [2, 0], JSON.stringify(document.errors));
  });

  withProgram('shows the cells of ours', async () => {
    const csv = (await converted(await workbookOf(header, rows), 'csv')).toString();
    assert.equal(
      csv,
      'SKU,Category Node,Title,Stock,Weight,Sold,Active\n' +
        '007,Disk," edge\n<&> _x0041_ 😀",5,0.1,2024-02-29,TRUE\n' +
        'b,Disk,=SUM(A1),123456789012345,-1.5,2024-02-29 18:30:15,FALSE\n',
    );
  });

  withProgram('opens templates', async () => {
    const columns = attributeTemplateColumns();
    const long = { title: 'Long', choices: Array.from({ length: 400 }, (_, index) => `Choice ${index}`) };
    const csv = (await converted(await workbookOf([...columns, long], []), 'csv')).toString();
    assert.equal(csv.trim(), [...columns.map(({ title }) => title), 'Long'].join(','));
  });
});
