/** The proposal for an uploaded file: when it is ready, what it goes by, and what an import makes of it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { newId } from '../../../src/domain/kernel/identifier.js';
import type { Shop } from '../../support/http/shop.js';
import { odsFile, odsRow } from '../../support/models/ods-file.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WAIT = { prefer: 'wait=25' };
const EVERYTHING = { attributes: true, options: true, categories: true, assignments: true };
const header = 'Artikelnummer;Kategorie;Bez. 1;Farbe;Preis;Seit';
const rows = Array.from({ length: 12 }, (_, row) => {
  const colour = ['rot', 'grün', 'blau'][row % 3];
  return `A-${row};${row % 2 ? 'Räder > City' : 'Teile > Klingeln'};Rad ${row};${colour};${row},50;0${(row % 9) + 1}.02.2026`;
});
const CSV = `${header}\n${rows.join('\n')}\n`;

describe('the proposal for a file', function () {
  this.timeout(90_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    await world.startWorkers({}, ['export', 'bulk']);
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  const held = (content: string | Buffer = CSV, over: object = {}) => shop.hold(content, over);
  const ask = (file: { id: string }, query = '', headers = WAIT) =>
    shop.call('GET', `/files/product/${file.id}/proposal${query}`, { headers });
  const proposalOf = async (file: { id: string }, query = '') => {
    const answer = await ask(file, query);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.proposal;
  };
  const toOf = (proposal: { lines: { from: string; to: string }[] }, column: string) =>
    proposal.lines.find(({ from }) => from === column)?.to;

  it('is ready with the inspection, which its first call starts', async () => {
    const file = await held();
    const first = await shop.call('GET', `/files/product/${file.id}/proposal`);
    assert.equal(first.status, 202, first.text);
    assert.equal(first.headers.get('location'), `/jobs/${first.body.jobId}`);
    const proposal = await proposalOf(file);
    assert.equal(proposal.fileType, 'ITEM_IMPORT');
    assert.equal((await shop.ask('GET', '/jobs/product?type=FILE_INSPECTION')).data.length, 1);
    const { inspection } = await shop.ask('GET', `/files/product/${file.id}/inspection`);
    assert.equal('kept' in inspection, false, 'what is kept for proposals is not shown');
  });

  it('goes by what somebody has said of columns, also against a saved profile, and says what is no such choice', async () => {
    await shop.define({ attributes: ['Title'], categories: { 'Räder->City': ['Title'] } });
    const file = await held();
    const query = (columns: unknown, more = '') => `?columns=${encodeURIComponent(JSON.stringify(columns))}${more}`;
    const proposal = await proposalOf(file, query({ 'Bez. 1': 'Title', Seit: null }));
    assert.deepEqual([toOf(proposal, 'Bez. 1'), toOf(proposal, 'Seit')], ['Title', null]);
    const { profile, missing } = proposal;
    await shop.ask('POST', '/import-profiles', {
      body: { name: 'ERP', profile: { ...profile, columns: profile.columns.map((rule: object) => ({ ...rule })) } },
    });
    const other = await proposalOf(file, query({ Farbe: 'Title', 'Bez. 1': 'Bezeichnung' }, '&profile=ERP'));
    assert.deepEqual(
      [toOf(other, 'Farbe'), toOf(other, 'Bez. 1'), toOf(other, 'Preis')],
      ['Title', 'Bezeichnung', 'Preis'],
    );
    assert.ok(other.missing.attributes.some(({ name }: { name: string }) => name === 'Bezeichnung'));
    for (const wrong of ['?columns=x', query({ 'Bez. 1': 5 }), query({ 'Bez. 1': ' ' }), query([])]) {
      assert.equal((await ask(file, wrong)).status, 400, wrong);
    }
    const { failed } = await shop.imported(file, { profile, missing, createMissing: EVERYTHING });
    assert.equal(failed, 0);
    assert.equal((await shop.values('Title'))['A-3'], 'Rad 3');
  });

  it('names the profiles that read files with these columns, also beside the one that was asked for', async () => {
    const file = await held();
    const { profile, profiles } = await proposalOf(file);
    assert.deepEqual(profiles, [], 'no profile that comes with Longshore reads this file');
    const { undecided: _, ...document } = profile;
    const save = (name: string, columns: object[]) =>
      shop.ask('POST', '/import-profiles', { body: { name, profile: { ...document, columns } } });
    await save('ERP', document.columns.slice(0, 5));
    await save('ERP of a colleague', document.columns.slice(0, 4));
    await save('two columns alone', document.columns.slice(0, 2));
    await save('another file', [...document.columns.slice(0, 5), { to: 'Brand', from: 'Marke' }]);
    const named = [
      { name: 'ERP', description: null, columns: 5 },
      { name: 'ERP of a colleague', description: null, columns: 4 },
    ];
    assert.deepEqual((await proposalOf(file)).profiles, named);
    assert.deepEqual((await proposalOf(file, '?profile=ERP')).profiles, named);
    assert.deepEqual((await proposalOf(file, '?fileType=CATEGORY_IMPORT')).profiles, []);
    // A profile of the stage takes the place of one that comes with Longshore, whatever it reads.
    const magento = await held(readFileSync('examples/shops/magento.csv'));
    const names = async () => (await proposalOf(magento)).profiles.map(({ name }: { name: string }) => name);
    assert.deepEqual(await names(), ['magento']);
    const ofCategories = { ...document, fileType: 'CATEGORY_IMPORT', columns: [{ to: 'Category Path', from: 'Pfad' }] };
    await shop.ask('POST', '/import-profiles', { body: { name: 'Magento', profile: ofCategories } });
    assert.deepEqual(await names(), []);
  });

  it('goes by the catalog and the aliases as they are now, and changes nothing', async () => {
    const file = await held();
    const before = await proposalOf(file);
    assert.deepEqual([toOf(before, 'Bez. 1'), toOf(before, 'Farbe')], ['Bez. 1', 'Farbe']);
    await shop.define({
      attributes: ['Title', { name: 'Colour', type: 'OPTIONS', options: ['rot'] }],
      categories: { 'Räder->City': ['Title'] },
    });
    await shop.ask('PATCH', '/site-settings', { body: { aliases: { Title: ['Bez. 1'] } } });
    const after = await proposalOf(file);
    assert.deepEqual([toOf(after, 'Bez. 1'), toOf(after, 'Farbe')], ['Title', 'Colour']);
    assert.deepEqual(after.missing.options, [{ attribute: 'Colour', values: ['grün', 'blau'] }]);
    assert.deepEqual(after.missing.categories, ['Teile', 'Teile->Klingeln']);
    assert.deepEqual(after.missing.assignments, [
      { category: 'Teile', attributes: ['Title', 'Colour', 'Preis', 'Seit'] },
      { category: 'Räder->City', attributes: ['Colour', 'Preis', 'Seit'] },
    ]);
    assert.equal((await world.db('attribute').where({ site_id: shop.siteId })).length, 2);
  });

  it('names other rows of a nested file, and is that for them if it is asked so', async () => {
    const list = (name: string, column: string) => {
      const rows = Array.from({ length: 8 }, (_, row) => ({
        sku: `${name}-${row}`,
        [column]: `Text ${row}`,
        weight: row,
      }));
      return `"${name}":${JSON.stringify(rows)}`;
    };
    const content = `{${list('left', 'name')},${list('right', 'title')}}`;
    const file = await held(content, { fileName: 'shop.json' });
    const { profile } = await proposalOf(file);
    const asked = profile.undecided.find(({ about }: { about: string }) => about === 'rowPath');
    const paths = asked.readings.map(({ format }: { format: { rowPath: string } }) => format.rowPath);
    assert.deepEqual(paths, ['left', 'right']);
    const undecided = await shop.post(`/files/product/${file.id}/actions/import`, { profile });
    assert.equal(undecided.status, 400);
    assert.match(undecided.text, /rowPath.*left.*right/s);
    for (const rowPath of ['nowhere', 'right']) {
      const { status, text } = await ask(file, `?rowPath=${rowPath}`);
      assert.equal(status, rowPath === 'right' ? 200 : 422, text);
      if (status === 422) assert.match(text, /Rows may be at .*right/);
    }
    const other = await proposalOf(file, '?rowPath=right');
    assert.equal(other.profile.format.rowPath, 'right');
    assert.deepEqual([toOf(other, 'title'), toOf(other, 'name')], ['title', undefined]);
    assert.deepEqual(
      other.questions.map(({ column }: { column: string | null }) => column),
      [null],
      'only the category is asked for',
    );
    assert.equal((await proposalOf(file)).profile.format.rowPath, 'right', 'what was inspected last');
    assert.equal((await ask(await held(), '?rowPath=right')).status, 400);
    assert.equal((await ask(file, '?sheet=Preise')).status, 400);
  });

  it('joins the levels of a category, and the import places the items there', async () => {
    const lines = ['Artikelnummer;Hauptkategorie;Unterkategorie;Gewicht'];
    for (let row = 0; row < 12; row++) lines.push(`A-${row};${row % 2 ? 'Räder;City' : 'Gutscheine;'};${row}`);
    const file = await held(`${lines.join('\n')}\n`);
    const { profile, missing, questions } = await proposalOf(file);
    assert.deepEqual(questions, []);
    const done = await shop.imported(file, { profile, missing, createMissing: EVERYTHING });
    assert.deepEqual([done.created, done.failed], [12, 0], done.message);
    const nodes = await Promise.all(['A-0', 'A-1'].map(async (sku) => (await shop.item(sku))?.nodeName));
    assert.deepEqual(nodes, ['PRIMARY->Gutscheine', 'PRIMARY->Räder->City']);
  });

  it('is that for a sheet of a workbook, which its profile names', async () => {
    const sheet = (name: string, ...rows: string[][]) =>
      `<table:table table:name="${name}">${rows.map((cells) => odsRow(...cells)).join('')}</table:table>`;
    const sheets = `${sheet('Info', ['read me'], ['first'])}${sheet('Preise', ['Artikelnummer', 'Titel'], ['a', 'Alpha'], ['b', 'Beta'])}`;
    const file = await held(await odsFile({ sheets }), { fileName: 'shop.ods' });
    const { inspection } = await shop.ask('GET', `/files/product/${file.id}/inspection`, { headers: WAIT });
    assert.equal(inspection.format.sheet, 'Info');
    const proposal = await proposalOf(file, '?sheet=Preise');
    assert.equal(proposal.profile.format.sheet, 'Preise');
    assert.equal(toOf(proposal, 'Artikelnummer'), 'SKU');
    assert.equal((await ask(file, '?sheet=None')).status, 422);
    // By a saved profile, it is about the sheet that the profile reads.
    const columns = [{ to: 'SKU', from: 'Artikelnummer' }];
    const body = { name: 'Preise', profile: { fileType: 'ITEM_IMPORT', format: { sheet: 'Preise' }, columns } };
    assert.equal((await shop.post('/import-profiles', body)).status, 200);
    const other = await held(await odsFile({ sheets }), { fileName: 'next.ods' });
    const lines = (await proposalOf(other, '?profile=Preise')).lines;
    assert.deepEqual(
      lines.map(({ from, verdict }: { from: string; verdict: string }) => [from, verdict]),
      [
        ['Artikelnummer', 'certain'],
        ['Titel', 'likely'],
      ],
    );
  });

  it('is refused by the import until it is decided, and the import creates only what the profile fills', async () => {
    const file = await held();
    const { profile, missing, questions } = await proposalOf(file);
    assert.deepEqual(
      questions.map(({ column }: { column: string }) => column),
      ['Seit'],
    );
    const send = (given: object) =>
      shop.post(`/files/product/${file.id}/actions/import`, { profile: given, missing, createMissing: EVERYTHING });
    const refused = await send(profile);
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /Seit.*dd\.MM\.yyyy.*row 2.*MM\.dd\.yyyy/s);
    const columns = profile.columns.map((rule: { from: string; steps: { undecided?: { step: object }[] }[] }) =>
      rule.from === 'Farbe'
        ? { to: null, from: 'Farbe' }
        : { ...rule, steps: rule.steps.map((step) => step.undecided?.[0]?.step ?? step) },
    );
    const accepted = await send({ ...profile, columns });
    assert.equal(accepted.status, 202, accepted.text);
    const done = await shop.outcome(file.jobId);
    assert.deepEqual([done.status, done.created], ['COMPLETED', 12], done.message);
    const names = await world.db('attribute').where({ site_id: shop.siteId }).pluck('name');
    assert.deepEqual(names.sort(), ['Bez. 1', 'Preis', 'Seit']);
    assert.equal((await shop.item('A-1'))?.attributes.Seit, '2026-02-02');
  });

  it('holds the file against a saved profile: what it lacks, what it has besides, and what the catalog lacks', async () => {
    const profile = {
      fileType: 'ITEM_IMPORT',
      columns: [
        { to: 'SKU', from: 'Artikelnummer' },
        { to: 'Category Node', from: 'Kategorie', steps: [{ step: 'path', separator: '>', root: 'Shop' }] },
        { to: 'Price', from: 'Preis', steps: [{ step: 'number', decimal: ',' }] },
        { to: 'Colour', from: 'Farbe', steps: [{ step: 'case', to: 'upper' }] },
        { to: 'Brand', from: 'Marke' },
      ],
    };
    await shop.ask('POST', '/import-profiles', { body: { name: 'ERP', profile } });
    const file = await held();
    const proposal = await proposalOf(file, '?profile=erp');
    assert.deepEqual(proposal.missing.categories, [
      ...['Shop', 'Shop->Teile', 'Shop->Teile->Klingeln', 'Shop->Räder', 'Shop->Räder->City'],
    ]);
    assert.deepEqual(proposal.missing.attributes, [
      { name: 'Price', type: 'DECIMAL' },
      { name: 'Colour', type: 'OPTIONS', options: ['ROT', 'GRÜN', 'BLAU'] },
      { name: 'Brand', type: 'TEXT' },
    ]);
    const lines = proposal.lines.map((line: { from: string; to: string; verdict: string }) => {
      return [line.from, line.to, line.verdict];
    });
    assert.deepEqual(lines.slice(4), [
      ['Marke', 'Brand', 'ambiguous'],
      ['Bez. 1', null, 'likely'],
      ['Seit', null, 'likely'],
    ]);
    const other = await ask(file, '?profile=EPR');
    assert.equal(other.status, 404);
    assert.match(other.text, /did you mean.*ERP/);
  });

  it('is refused where the inspection is, and for what is not there', async () => {
    const empty = await held('');
    assert.equal((await ask(empty)).status, 422);
    const open = await shop.ask('POST', '/files/product', { body: { fileName: 'x.csv', fileType: 'ITEM_IMPORT' } });
    assert.equal((await ask(open)).status, 409);
    assert.equal((await ask({ id: newId() })).status, 404);
    const file = await held();
    assert.equal((await ask(file, '?fileType=EXPORT')).status, 400);
    const other = await world.newShop();
    assert.equal((await other.call('GET', `/files/product/${file.id}/proposal`)).status, 404);
  });

  it('takes an inspection of an earlier form for none, and inspects the file again', async () => {
    const file = await held();
    const before = await proposalOf(file);
    await world
      .db('file_inspection')
      .where({ file_id: file.id })
      .update({ inspection: world.db.raw(`inspection - 'kept'`) });
    assert.deepEqual(await proposalOf(file), before);
    assert.equal((await shop.ask('GET', '/jobs/product?type=FILE_INSPECTION')).data.length, 2);
  });
});
