/** The command line and files of somebody's own: in a pipe, and on a terminal that answers its questions. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type LongshoreClient } from '@longshore/client';
import { type Hold, startRelay } from '../support/http/relay.js';
import { HIDDEN_CELLS_NOTES, hiddenCellsFile } from '../support/models/hidden-cells-file.js';
import { odsFile, odsRow } from '../support/models/ods-file.js';
import { shopFileOf } from '../support/models/shop-files.js';
import {
  outcomeOf,
  type Place,
  type Run,
  run,
  shown,
  signedIn,
  start,
  startOnTerminal,
} from '../support/worlds/command-line.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { startWorld, type World } from '../support/worlds/world.js';

const GOLDEN = fileURLToPath(new URL('../../../test/fixtures/command-line/', import.meta.url));
const SHOP = fileURLToPath(new URL('../../../examples/shops/shopify.csv', import.meta.url));
const WRITES_GOLDEN = process.env.WRITE_GOLDEN === '1';
const HAS_TERMINAL = process.platform === 'linux';

/** No day is above 12, so that the file does not say whether day or month is first. */
const TENTS = [
  'Item No;Product;Group;Retail price;Available from;Waterproof',
  'T-1;Tent Aurora;Camping > Tents;1.199,00;03.04.2026;yes',
  'T-2;Tent Boreal;Camping > Tents;249,50;05.04.2026;no',
  'L-1;Lantern;Camping > Light;39,90;11.02.2026;yes',
];
const DAY_FIRST = ['--decide', 'Available from=dd.MM.yyyy'];
const ANSWERS = ['--create-missing', ...DAY_FIRST, '--yes'];

/** Where a command is killed. Called again, it must end as if it had not been. */
const MOMENTS: Readonly<Record<string, Hold>> = {
  'in the middle of the upload': { method: 'PUT', path: '/uploads/', at: 'midway' },
  'before it has the proposal': { method: 'GET', path: '/files/product/', at: 'before' },
  'before it knows that the import is accepted': { method: 'POST', path: '/files/product/', at: 'after' },
};

describe('the command line, with a file of its own form', function () {
  this.timeout(90_000);
  let world: World;
  let folder: OpenFolder;
  let client: LongshoreClient;
  let token: string;
  let account: string;
  let place: Place;

  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world?.stop());
  beforeEach(async () => {
    folder = makeOpenFolder();
    ({ account, token } = await world.newShop());
    const baseUrl = world.api.url;
    client = createClient({ baseUrl, token, site: { account } });
    place = signedIn(folder.path, { baseUrl, account, token });
    write('tents.csv', TENTS);
  });
  afterEach(() => folder.remove());

  const here = (...args: string[]): Promise<Run> => run(args, place);
  const write = (name: string, lines: readonly string[]) =>
    writeFileSync(join(folder.path, name), `${lines.join('\n')}\n`);
  const jobs = async (type = 'ITEM_IMPORT') => (await client.listJobs({ type, limit: 10 })).data;
  const statuses = async () => (await jobs()).map(({ status }) => status);
  const notes = () => readdirSync(join(folder.path, 'config', 'imports'));

  /** A workbook in our own form, with the items of the file. */
  async function exportedWorkbook(): Promise<string> {
    assert.equal((await here('import', 'tents.csv', ...ANSWERS)).code, 0);
    const { code, stderr } = await here('export', 'items', '-o', 'ours.xlsx', '--format', 'XLSX');
    assert.equal(code, 0, stderr);
    return 'ours.xlsx';
  }

  function matchesGolden(name: string, text: string): void {
    const found = text
      .replaceAll(world.api.url, 'BASE')
      .replace(/[0-9a-f]{24}/g, 'ID')
      // Shown if it takes long to read the file.
      .replace(/^Reading .*\n/gm, '');
    const path = join(GOLDEN, `${name}.txt`);
    if (WRITES_GOLDEN) writeFileSync(path, found);
    assert.equal(found, readFileSync(path, 'utf8'));
  }

  /** A workbook whose first sheet has no data. */
  function coveredWorkbook(): Promise<Buffer> {
    const sheet = (name: string, ...rows: string[][]) =>
      `<table:table table:name="${name}">${rows.map((cells) => odsRow(...cells)).join('')}</table:table>`;
    const items = [
      ['Item No', 'Product', 'Group', 'Waterproof'],
      ['T-1', 'Tent Aurora', 'Camping > Tents', 'yes'],
      ['T-2', 'Tent Boreal', 'Camping > Tents', 'no'],
    ];
    return odsFile({ sheets: sheet('Cover', ['Prices 2026'], ['read me']) + sheet('Items', ...items) });
  }

  describe('inspect', () => {
    it('shows how the file is written and what its columns hold, and leaves nothing of it', async () => {
      write('tents.csv', ['Camping 2026', '', ...TENTS, 'X-1;Mat;Camping > Mats;on request;31.04.2026;perhaps']);
      const { code, stdout, stderr } = await here('inspect', 'tents.csv');
      assert.equal(code, 0, stderr);
      matchesGolden('inspect.pipe', stdout);
      assert.deepEqual(await statuses(), ['CANCELLED']);
      assert.deepEqual(notes(), []);
      assert.equal((await client.listAttributes()).count, 0);
    });

    it('shows it on a terminal, with colours', async function () {
      if (!HAS_TERMINAL) return this.skip();
      const { code, stdout } = await outcomeOf(startOnTerminal(['inspect', 'tents.csv'], place));
      assert.equal(code, 0);
      matchesGolden('inspect.terminal', shown(stdout));
    });

    it('prints the inspection as one JSON document, also of standard input', async () => {
      const inspecting = start(['inspect', '-', '--name', 'tents.csv', '--json'], place, 'pipe');
      const ended = outcomeOf(inspecting);
      inspecting.stdin?.end(TENTS.join('\n'));
      const { code, stdout, stderr } = await ended;
      assert.deepEqual([code, stderr], [0, '']);
      const { inspection, file } = JSON.parse(stdout);
      assert.deepEqual([inspection.rows, inspection.columns.length, file], [3, 6, null]);
    });

    it('keeps the file on request, and the import of it uploads nothing again', async () => {
      const { code, stdout } = await here('inspect', 'tents.csv', '--keep', '--json');
      assert.equal(code, 0);
      assert.deepEqual(await statuses(), ['AWAITING_PROFILE']);
      const imported = await here('import', 'tents.csv', ...ANSWERS, '--json');
      assert.equal(imported.code, 0, imported.stderr);
      const { data } = await client.listFiles({ limit: 10 });
      assert.deepEqual(
        data.map(({ id }) => id),
        [JSON.parse(stdout).file],
      );
      assert.deepEqual(notes(), []);
    });

    it('shows another sheet of a workbook', async () => {
      const sheet = (name: string, ...rows: string[][]) =>
        `<table:table table:name="${name}">${rows.map((cells) => odsRow(...cells)).join('')}</table:table>`;
      const sheets =
        sheet('Info', ['read me'], ['first']) + sheet('Preise', ['Artikelnummer', 'Titel'], ['a', 'Alpha']);
      writeFileSync(join(folder.path, 'shop.ods'), await odsFile({ sheets }));
      const { code, stdout, stderr } = await here('inspect', 'shop.ods', '--sheet', 'Preise', '--json');
      assert.equal(code, 0, stderr);
      const { inspection } = JSON.parse(stdout);
      assert.equal(inspection.format.sheet, 'Preise');
      assert.equal(inspection.columns[0].name, 'Artikelnummer');
      const wrong = await here('inspect', 'shop.ods', '--sheet', 'Price');
      assert.equal(wrong.code, 1);
      assert.match(wrong.stderr, /Preise/);
      assert.match((await here('inspect', 'tents.csv', '--sheet', 'Preise')).stderr, /tents\.csv is none/);
      assert.deepEqual(notes(), []);
    });

    it('says which sheet was read, and what the others have', async () => {
      writeFileSync(join(folder.path, 'shop.ods'), await coveredWorkbook());
      const { code, stdout, stderr } = await here('inspect', 'shop.ods');
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^sheets: Cover \(read\), Items$/m);
      assert.match(stdout, /The sheet "Cover" was read, .* "Items" has 3 rows of 4 columns/);
      assert.match(stdout, /the sheet: .*\n +can be: Cover or Items/);
    });

    it('reads a file as it is said, and says so in the command that imports it', async () => {
      writeFileSync(join(folder.path, 'rury.csv'), Buffer.from('SKU,D\xb3ugo\xb6\xe6;x\nA-1,1;2\n', 'latin1'));
      const reading = ['--encoding', 'iso-8859-2', '--delimiter', ',', '--header-row', '1'];
      const { code, stdout, stderr } = await here('inspect', 'rury.csv', ...reading);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /encoding iso-8859-2 \(certain\), delimiter , \(certain\), header in row 1 \(certain\)/);
      assert.match(stdout, /^Długość;x /m);
      assert.match(stdout, /import rury\.csv --delimiter ,? ?'?,?'? ?--encoding iso-8859-2 --header-row 1/);
    });

    it('says where the rows of a nested file are, and asks if that can be said in two ways', async () => {
      write('flat.json', [JSON.stringify([{ sku: 'a', name: 'A' }])]);
      const flat = await here('inspect', 'flat.json');
      assert.match(flat.stdout, /rows at the top of the document \(likely|rows at the top of the document \(certain/);
      assert.doesNotMatch(flat.stdout, /no row names the columns/);
      const list = (name: string) =>
        `"${name}":${JSON.stringify(TENTS.map((_, row) => ({ sku: `${name}-${row}`, name: `T${row}`, no: row })))}`;
      write('shop.json', [`{${list('left')},${list('right')}}`]);
      const { stdout } = await here('inspect', 'shop.json');
      assert.match(stdout, /rows at left \(ambiguous\)/);
      assert.match(stdout, /where the rows are: .*\n +can be: left or right/);
      assert.match((await here('inspect', 'shop.json', '--row-path', 'right')).stdout, /rows at right \(certain\)/);
    });

    it('says of a file that is no table what is wrong, and leaves nothing of it', async () => {
      writeFileSync(join(folder.path, 'picture.csv'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
      const { code, stdout, stderr } = await here('inspect', 'picture.csv');
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^error [^\n]+\n$/m);
      assert.deepEqual(await statuses(), ['CANCELLED']);
      assert.deepEqual(notes(), []);
    });
  });

  describe('import in a pipe', () => {
    it('imports nothing, and says which options answer what it would have asked', async () => {
      const { code, stdout, stderr } = await here('import', 'tents.csv', '--atomic', '--profile', 'tents');
      assert.equal(code, 1);
      matchesGolden('own-file.pipe', `${stdout}${stderr}`);
      assert.deepEqual(await statuses(), ['AWAITING_PROFILE']);
      // What it says is enough.
      const options = [...stderr.matchAll(/^ +(--[a-z-]+)(?: '([^']+)')?/gm)].map(([, name = '', value]) =>
        value === undefined ? [name] : [name, value],
      );
      const chosen = options.filter(([, value]) => value?.endsWith('MM.dd.yyyy') !== true).flat();
      const again = await here('import', 'tents.csv', '--atomic', '--profile', 'tents', ...chosen);
      assert.equal(again.code, 0, again.stderr);
      assert.match(again.stdout, /^3 created, 0 updated, 0 unchanged, 0 failed$/m);
      assert.deepEqual(await statuses(), ['COMPLETED'], 'the file was uploaded once');
      assert.match(String((await client.getItem({ sku: 'T-1' })).attributes['Available from']), /^2026-04-03/);
    });

    it('imports the next file by the profile without an inspection, and errors are in the form of the file', async () => {
      assert.equal((await here('import', 'tents.csv', ...ANSWERS, '--profile', 'tents')).code, 0);
      write('next.csv', [...TENTS, 'T-3;Tarp;Camping > Tents;on request;06.04.2026;no']);
      const { code, stdout, stderr } = await here('import', 'next.csv', '--profile', 'tents');
      assert.equal(code, 2, stderr);
      assert.match(stdout, /^0 created, 0 updated, 3 unchanged, 1 failed$/m);
      assert.match(stdout, /Retail price +1 +5 +.*"on request"/);
      assert.equal((await jobs('FILE_INSPECTION')).length, 1);
      const errors = readFileSync(join(folder.path, 'next.errors.csv'), 'utf8');
      assert.match(errors, /^\ufeffItem No;.*\nT-3;Tarp;Camping > Tents;on request;06\.04\.2026;no;/m);
      writeFileSync(join(folder.path, 'next.errors.csv'), errors.replace(';on request;', ';1.039,90;'));
      const corrected = await here('import', 'next.errors.csv');
      assert.match(corrected.stdout, /^1 created, 0 updated, 0 unchanged, 0 failed$/m, corrected.stderr);
      assert.equal(Number((await client.getItem({ sku: 'T-3' })).attributes['Retail price']), 1039.9);
    });

    it('names the profiles that read files of this form, and commands for the same data set', async () => {
      writeFileSync(join(folder.path, 'shop.csv'), readFileSync(SHOP));
      const { code, stdout, stderr } = await here('import', 'shop.csv', '--stage', 'test', '--create-missing', '--yes');
      assert.equal(code, 1);
      assert.match(stdout, /^ {2}--profile shopify-products {2}The products of the product CSV of Shopify/m);
      assert.match(stderr, /Add to longshore import shop\.csv --stage test$/m);
      const by = ['--profile', 'shopify-products', '--create-missing', '--yes', '--stage', 'test'];
      const done = await here('import', 'shop.csv', ...by);
      assert.equal(done.code, 0, done.stdout + done.stderr);
      assert.doesNotMatch(done.stdout, /Profiles that read/);
      const lines = readFileSync(SHOP, 'utf8').split('\n');
      // The first product has no handle.
      write('wrong.csv', [lines[0] ?? '', (lines[1] ?? '').replace(/^[^,]*/, ''), ...lines.slice(2)]);
      const failed = await here('import', 'wrong.csv', ...by);
      assert.equal(failed.code, 2, failed.stdout + failed.stderr);
      assert.match(failed.stdout, /^ {2}longshore import \S*wrong\.errors\.csv --stage test$/m);
    });

    it('creates what is missing for a profile that exists, and only what was asked for', async () => {
      const first = await here('import', 'tents.csv', '--create-missing=attributes,categories', ...ANSWERS.slice(1));
      assert.equal(first.code, 2, 'no attribute is assigned to a category');
      assert.match(first.stdout, /^created: 4 attributes, 3 categories$/m);
      assert.match(first.stdout, /ATTRIBUTE_NOT_ASSIGNED/);
      const second = await here('import', 'tents.csv', ...ANSWERS, '--profile', 'tents');
      assert.match(second.stdout, /^created: \d+ assignments$/m, second.stderr);
      write('mats.csv', [...TENTS, 'M-1;Mat;Camping > Mats;19,90;06.04.2026;no']);
      const third = await here('import', 'mats.csv', '--profile', 'tents', '--create-missing', '--yes');
      assert.equal(third.code, 0, third.stdout + third.stderr);
      assert.match(third.stdout, /^created: 1 category, 4 assignments$/m);
      const job = (await jobs())[0];
      assert.deepEqual(job?.profile, { name: 'tents', version: 1 });
    });

    it('writes nothing in a dry run, and says what it would create', async () => {
      const { code, stdout, stderr } = await here('import', 'tents.csv', ...ANSWERS, '--profile', 'tents', '--dry-run');
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^would be created: 4 attributes, 3 categories, 4 assignments$/m);
      assert.equal((await client.listAttributes()).count, 0);
      assert.deepEqual(
        (await client.profiles.list()).filter(({ shipped }) => !shipped),
        [],
      );
    });

    it('prints what is open as JSON, for programs that ask themselves', async () => {
      const { code, stdout, stderr } = await here('import', 'tents.csv', '--create-missing', '--json');
      assert.equal(code, 1);
      assert.match(stderr, /^error nothing is imported/);
      const { outcome, questions, proposal } = JSON.parse(stdout);
      assert.deepEqual([outcome, questions[0].column, proposal.lines.length], ['undecided', 'Available from', 6]);
      assert.deepEqual(
        questions[0].readings.map(({ value }: { value: string }) => value),
        ['dd.MM.yyyy', 'MM.dd.yyyy'],
      );
    });

    it('prints what is open as one JSON document without any other option, and leaves no job that would import', async () => {
      const [head = [], ...rows] = TENTS.map((line) => line.split(';'));
      write(
        'tents.jsonl',
        rows.map((row) => JSON.stringify(Object.fromEntries(row.map((cell, at) => [head[at], cell])))),
      );
      const cells = [head, ...rows].map((row) => odsRow(...row.map((cell) => cell.replace('>', '&gt;'))));
      const sheets = `<table:table table:name="Tents">${cells.join('')}</table:table>`;
      writeFileSync(join(folder.path, 'tents.ods'), await odsFile({ sheets }));
      for (const ending of ['csv', 'jsonl', 'ods']) {
        const { code, stdout, stderr } = await here('import', `tents.${ending}`, '--json');
        assert.equal(code, 1);
        assert.match(stderr, /^error nothing is imported/);
        assert.equal(JSON.parse(stdout).outcome, 'undecided');
        const others = (await statuses()).filter((status) => status !== 'AWAITING_PROFILE');
        // Whether the columns of a workbook are ours is known when it was read.
        assert.deepEqual(others, ending === 'ods' ? ['REJECTED'] : []);
      }
      assert.equal((await client.listAttributes()).count, 0);
    });

    it('imports XML and JSON as proposed, by the profile, and from the error file', async () => {
      const product = (sku: string, price: string) =>
        `<product><sku>${sku}</sku><title>Tent ${sku}</title><category>Camping &gt; Tents</category><price>${price}</price></product>`;
      write('feed.xml', ['<shop>', product('X-1', '10.50'), product('X-2', '20.00'), '</shop>']);
      const first = await here('import', 'feed.xml', '--create-missing', '--yes', '--profile', 'feed');
      assert.equal(first.code, 0, first.stdout + first.stderr);
      assert.match(first.stdout, /rows at shop\/product/);
      assert.match(first.stdout, /^2 created, 0 updated, 0 unchanged, 0 failed$/m);
      write('next.xml', ['<shop>', product('X-1', '11.50'), product('X-3', 'on request'), '</shop>']);
      const next = await here('import', 'next.xml', '--profile', 'feed');
      assert.equal(next.code, 2, next.stdout + next.stderr);
      assert.match(next.stdout, /^0 created, 1 updated, 0 unchanged, 1 failed$/m);
      const failed = readFileSync(join(folder.path, 'next.errors.csv'), 'utf8');
      writeFileSync(join(folder.path, 'next.errors.csv'), failed.replace('on request', '12.00'));
      const again = await here('import', 'next.errors.csv');
      assert.equal(again.code, 0, again.stdout + again.stderr);
      assert.match(again.stdout, /^1 created, 0 updated, 0 unchanged, 0 failed$/m);

      const json = {
        products: ['J-1', 'J-2'].map((sku) => ({ sku, title: sku, category: 'Camping > Tents', price: 1 })),
      };
      write('list.json', [JSON.stringify(json)]);
      const { code, stdout, stderr } = await here('import', 'list.json', '--create-missing', '--yes');
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /^2 created, 0 updated, 0 unchanged, 0 failed$/m);
    });

    it('says which decision is no answer to a question', async () => {
      for (const [decision, message] of [
        ['Available from=yyyy', /cannot be decided by "yyyy": decide for "dd\.MM\.yyyy"/],
        ['Product=TEXT', /there is nothing to decide about "Product"/],
        ['Available from', /is not "COLUMN=reading"/],
      ] as const) {
        const { code, stderr } = await here('import', 'tents.csv', '--create-missing', '--yes', '--decide', decision);
        assert.equal(code, 1);
        assert.match(stderr, message);
      }
      const values = await here('import', 'tents.csv', '--yes', '--date-format', 'dd.MM.yyyy');
      assert.match(values.stderr, /a profile says how values are written.*--date-format/);
      const kind = await here('import', '--create-missing', 'tents.csv');
      assert.match(kind.stderr, /Write some of attributes, options, categories, assignments after "="/);
    });

    it('leaves our own files as they were: nothing of them is inspected', async () => {
      assert.equal((await here('import', 'tents.csv', ...ANSWERS)).code, 0);
      write('ours.csv', ['SKU,Category Node,Product', 'O-1,Camping->Tents,Ours']);
      write('prices.csv', ['SKU,retail price', 'O-1,12.50']);
      for (const name of ['ours.csv', 'prices.csv']) {
        const { code, stderr } = await here('import', name);
        assert.equal(code, 0, stderr);
      }
      assert.equal((await jobs('FILE_INSPECTION')).length, 1);
    });

    it('imports by the profile of the site without a question', async () => {
      assert.equal((await here('import', 'tents.csv', ...ANSWERS, '--profile', 'tents')).code, 0);
      await client.updateSiteSettings({ body: { defaultProfiles: { ITEM_IMPORT: 'tents' } } });
      const { code, stdout, stderr } = await here('import', 'tents.csv');
      assert.equal(code, 0, stderr);
      assert.match(stdout, /3 unchanged/);
    });

    it('takes a file whose ending says nothing by another name', async () => {
      writeFileSync(join(folder.path, 'dump.txt'), TENTS.join('\n'));
      const refused = await here('inspect', 'dump.txt');
      assert.equal(refused.code, 1, refused.stdout);
      const inspected = await here('inspect', 'dump.txt', '--name', 'dump.csv', '--json');
      assert.equal(inspected.code, 0, inspected.stderr);
      const { code, stdout, stderr } = await here('import', 'dump.txt', '--name', 'dump.csv', ...ANSWERS);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^3 created/m);
      const { data } = await client.listFiles({ limit: 1 });
      assert.equal(data[0]?.name, 'dump.csv');
      const folded = await here('import', 'dump.txt', '--name', 'a/dump.csv');
      assert.match(folded.stderr, /--name is the name of a file, without a folder/);
    });

    it('reads standard input', async () => {
      const importing = start(['import', '-', '--name', 'tents.csv', ...ANSWERS], place, 'pipe');
      const ended = outcomeOf(importing);
      importing.stdin?.end(TENTS.join('\n'));
      const { code, stdout, stderr } = await ended;
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^3 created/m);
    });

    it('proposes for a spreadsheet of a shop that was rejected, and imports it then', async () => {
      writeFileSync(join(folder.path, 'shop.xlsx'), (await shopFileOf('xlsx', 60)).bytes);
      const refused = await here('import', 'shop.xlsx');
      assert.equal(refused.code, 1);
      assert.match(refused.stdout, /^REJECTED\n.*\nThese columns are not those of our own files\..*\nCOLUMN +BECOMES/s);
      assert.match(refused.stderr, /--create-missing {2}creates/);
      const { code, stdout, stderr } = await here('import', 'shop.xlsx', '--create-missing', '--yes');
      assert.equal(code, 2, stderr);
      assert.match(stdout, /^59 created, 0 updated, 0 unchanged, 1 failed$/m);
    });

    it('inspects a spreadsheet from a pipe first, and imports one in our form as it is', async () => {
      const piped = async (bytes: Buffer, ...options: string[]) => {
        const importing = start(['import', '-', '--name', 'shop.xlsx', ...options], place, 'pipe');
        const ended = outcomeOf(importing);
        importing.stdin?.end(bytes);
        return ended;
      };
      const { bytes } = await shopFileOf('xlsx', 60);
      const refused = await piped(bytes);
      assert.equal(refused.code, 1);
      assert.match(refused.stdout, /^[^\n]*\n[^\n]*header in row 4\n\nCOLUMN +BECOMES/);
      assert.match(refused.stderr, /--create-missing {2}creates/);
      assert.deepEqual(await statuses(), ['AWAITING_PROFILE'], 'nothing was rejected');
      const { stdout, stderr } = await piped(bytes, '--create-missing', '--yes');
      assert.match(stdout, /^59 created, 0 updated, 0 unchanged, 1 failed$/m, stderr);
      const ours = await piped(readFileSync(join(folder.path, await exportedWorkbook())));
      assert.match(ours.stdout, /^0 created, 0 updated, 62 unchanged, 0 failed$/m, ours.stderr);
    });

    it('imports the sheet of a workbook that is named or decided for', async () => {
      writeFileSync(join(folder.path, 'shop.ods'), await coveredWorkbook());
      const refused = await here('import', 'shop.ods', '--create-missing', '--yes');
      assert.equal(refused.code, 1, refused.stdout);
      assert.match(refused.stderr, /Which sheet has the rows\?.*\n.*--decide sheet=Cover .*\n.*--decide sheet=Items /);
      const answers = ['--create-missing', '--yes', '--decide', 'sheet=Items'];
      const open = await here('import', 'shop.ods', ...answers);
      assert.match(open.stderr, /--decide category=Items/);
      const decided = await here('import', 'shop.ods', ...answers, '--decide', 'category=Items');
      assert.match(decided.stdout, /^2 created, 0 updated, 0 unchanged, 0 failed$/m, decided.stderr);
      const others = ['--create-missing', '--yes', '--decide', 'category=Items'];
      const named = await here('import', 'shop.ods', '--sheet', 'Items', ...others);
      assert.match(named.stdout, /^0 created, 0 updated, 2 unchanged, 0 failed$/m, named.stderr);
    });

    it('tells hidden rows and columns and merged cells before it imports them, and says so where nobody can be asked', async () => {
      writeFileSync(join(folder.path, 'hidden.ods'), await hiddenCellsFile());
      const told = `${HIDDEN_CELLS_NOTES.join('\n')}\n`;
      const open = await here('import', 'hidden.ods', '--create-missing');
      assert.equal(open.code, 1);
      assert.ok(open.stdout.includes(told), open.stdout);
      const json = await here('import', 'hidden.ods', '--create-missing', '--json');
      assert.deepEqual(JSON.parse(json.stdout).proposal?.notes, HIDDEN_CELLS_NOTES);
      const done = await here('import', 'hidden.ods', '--create-missing', '--yes', '--decide', 'category=Items');
      assert.ok(done.stdout.indexOf(told) < done.stdout.indexOf('6 created'), done.stdout + done.stderr);
    });

    it('imports a file that is read as it is said', async () => {
      write('titled.csv', ['Tents;2026;May;x;y;z', ...TENTS]);
      const done = await here('import', 'titled.csv', '--header-row', '2', '--delimiter', ';', ...ANSWERS);
      assert.match(done.stdout, /^3 created, 0 updated, 0 unchanged, 0 failed$/m, done.stderr);
      assert.equal((await here('import', 'titled.csv', '--header-row', '2', ...ANSWERS, '--profile', 'tents')).code, 0);
      const twice = await here('import', 'titled.csv', '--header-row', '2', '--profile', 'tents');
      assert.match(
        twice.stderr,
        /the profile tents says how the file is written, and so does --header-row: leave that out/,
      );
      const values = await here('import', 'titled.csv', '--decimal-separator', ',', '--yes');
      assert.match(values.stderr, /a profile says how values are written, and so does --decimal-separator/);
    });

    it('imports a file in our own form without the default profile of the stage', async () => {
      assert.equal((await here('import', 'tents.csv', ...ANSWERS, '--profile', 'tents')).code, 0);
      await client.updateSiteSettings({ body: { defaultProfiles: { ITEM_IMPORT: 'tents' } } });
      write('ours.csv', ['SKU,Category Node,Product', 'T-9,Camping->Tents,Tent Cirrus']);
      const refused = await here('import', 'ours.csv');
      assert.equal(refused.code, 1);
      assert.match(
        `${refused.stdout}${refused.stderr}`,
        /the profile "tents", the default of such files.*give --no-profile/s,
      );
      const done = await here('import', 'ours.csv', '--no-profile');
      assert.match(done.stdout, /^1 created, 0 updated, 0 unchanged, 0 failed$/m, done.stderr);
      const contrary = await here('import', 'ours.csv', '--delimiter', ',');
      assert.match(contrary.stderr, /--delimiter.*or give --no-profile/);
    });

    it('imports the rows of a nested file that are decided for', async () => {
      const list = (name: string, column: string) =>
        `"${name}":${JSON.stringify(TENTS.slice(1).map((_, row) => ({ sku: `${name}-${row}`, [column]: `T${row}`, no: row })))}`;
      write('shop.json', [`{${list('left', 'name')},${list('right', 'title')}}`]);
      const refused = await here('import', 'shop.json');
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /--decide rowPath=left .*\n.*--decide rowPath=right /);
      const others = ['--decide', 'category=Items', '--create-missing', '--yes'];
      const { code, stdout, stderr } = await here('import', 'shop.json', '--decide', 'rowPath=right', ...others);
      assert.equal(code, 0, stdout + stderr);
      const items = (await client.listItems({ limit: 10 })).data;
      assert.deepEqual(
        items.map(({ sku }) => sku),
        ['right-0', 'right-1', 'right-2'],
      );
    });

    it('imports spreadsheets and XML files like this as well', async () => {
      const book = await exportedWorkbook();
      const xml = TENTS.slice(1).map((row) => {
        const [number, product, group, price] = row.split(';');
        return `<item><no>${number}X</no><product>${product}</product><group>${group}</group><price>${price}</price></item>`;
      });
      write('tents.xml', [`<catalog>${xml.join('\n')}</catalog>`]);
      const refused = await here('import', 'tents.xml');
      assert.equal(refused.code, 1);
      assert.match(refused.stdout, /^no +SKU +ambiguous /m);
      assert.match(refused.stderr, /--decide key=no /);
      const { code, stdout, stderr } = await here(
        'import',
        'tents.xml',
        '--decide',
        'key=no',
        '--create-missing',
        '--yes',
      );
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /^3 created/m);
      assert.match((await here('import', book)).stdout, /^0 created, 0 updated, 3 unchanged, 0 failed$/m);
      assert.equal((await jobs('FILE_INSPECTION')).length, 2, 'a workbook that is ours is not inspected');
    });

    for (const [moment, hold] of Object.entries(MOMENTS)) {
      it(`ends with the same result and one job when it was killed ${moment}`, async () => {
        const relay = await startRelay(world.api.url, hold);
        const through = { LONGSHORE_URL: relay.url, LONGSHORE_TOKEN: token, LONGSHORE_ACCOUNT: account };
        const relayed = { ...place, env: { ...place.env, ...through } };
        try {
          const first = start(['import', 'tents.csv', ...ANSWERS], relayed);
          await relay.held;
          first.kill('SIGKILL');
          await outcomeOf(first);
          relay.release();
          const { code, stdout, stderr } = await run(['import', 'tents.csv', ...ANSWERS, '--json'], relayed);
          assert.equal(code, 0, stderr);
          assert.equal(JSON.parse(stdout).job.progressTracker.createdCount, 3);
          assert.deepEqual(await statuses(), ['COMPLETED']);
          assert.deepEqual(notes(), []);
        } finally {
          await relay.stop();
        }
      });
    }
  });

  describe('import on a terminal', () => {
    before(function () {
      if (!HAS_TERMINAL) this.skip();
    });

    it('asks what is open, creates what is missing, and keeps the answers', async () => {
      const asking = startOnTerminal(['import', 'tents.csv'], place);
      const ended = outcomeOf(asking);
      await answer(asking, '1 to 2: ', '3\r');
      await answer(asking, '1 to 2: ', '1\r');
      await answer(asking, 'Create them? [Y/n] ', '\r');
      await answer(asking, 'Import the file like this? [Y/n] ', 'y\r');
      await answer(asking, 'Its name, or nothing: ', 'tents\r');
      const { code, stdout } = await ended;
      assert.equal(code, 0, stdout);
      matchesGolden('own-file.terminal', shown(stdout));
      assert.deepEqual((await jobs())[0]?.profile, { name: 'tents', version: 1 });
    });

    it('offers the profiles that read files of this form, and imports by the one that is chosen', async () => {
      writeFileSync(join(folder.path, 'shop.csv'), readFileSync(SHOP));
      const asking = startOnTerminal(['import', 'shop.csv', '--create-missing'], place);
      const ended = outcomeOf(asking);
      await answer(asking, '0 to 3: ', '9\r');
      await answer(asking, '0 to 3: ', 'shopify-products\r');
      await answer(asking, 'Import the file like this? [Y/n] ', '\r');
      const { code, stdout } = await ended;
      assert.equal(code, 0, stdout);
      assert.deepEqual((await jobs())[0]?.profile, { name: 'shopify-products', version: 1 });
    });

    it('imports nothing when the answer is no, and leaves nothing of the file', async () => {
      const asking = startOnTerminal(['import', 'tents.csv', '--create-missing', ...DAY_FIRST], place);
      const ended = outcomeOf(asking);
      await answer(asking, 'Import the file like this? [Y/n] ', 'n\r');
      const { code, stdout } = await ended;
      assert.equal(code, 1);
      assert.match(stdout, /Nothing is imported\./);
      assert.deepEqual(await statuses(), ['CANCELLED']);
      assert.deepEqual(notes(), []);
      assert.equal((await client.listAttributes()).count, 0);
    });

    it('goes on where Ctrl-C has ended it', async () => {
      const asking = startOnTerminal(['import', 'tents.csv'], place);
      const ended = outcomeOf(asking);
      await answer(asking, '1 to 2: ', '\u0003');
      const { code, stdout } = await ended;
      assert.equal(code, 130);
      assert.match(stdout, /Nothing is imported\. Call the same command again to go on\./);
      const again = await here('import', 'tents.csv', ...ANSWERS);
      assert.equal(again.code, 0, again.stderr);
      assert.deepEqual(await statuses(), ['COMPLETED']);
    });

    it('inspects a workbook to see whether it is ours, and does not ask then', async () => {
      const book = await exportedWorkbook();
      const { code, stdout } = await outcomeOf(startOnTerminal(['import', book], place));
      assert.equal(code, 0, stdout);
      assert.match(stdout, /3 unchanged/);
      assert.equal((await jobs('FILE_INSPECTION')).length, 2);
      assert.deepEqual(notes(), []);
    });

    it('does not ask about a file that is ours', async () => {
      assert.equal((await here('import', 'tents.csv', ...ANSWERS)).code, 0);
      write('ours.csv', ['SKU,Category Node,Product', 'O-1,Camping->Tents,Ours']);
      const { code, stdout } = await outcomeOf(startOnTerminal(['import', 'ours.csv'], place));
      assert.equal(code, 0, stdout);
      assert.match(stdout, /1 created/);
    });
  });
});

/** Waits until the command asks, and types the answer. */
function answer(child: ChildProcess, question: string, keys: string): Promise<void> {
  let seen = '';
  return new Promise((resolve) => {
    const look = (chunk: Buffer | string) => {
      seen += chunk.toString();
      if (!seen.includes(question)) return;
      child.stdout?.off('data', look);
      child.stdin?.write(keys);
      resolve();
    };
    child.stdout?.on('data', look);
  });
}
