/** What is proposed for JSON and XML files, whose columns are paths. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { profileSchema } from '../../../../src/domain/profiles/model/profile.js';
import { holdProfile } from '../../../../src/domain/proposals/hold-profile.js';
import { definitionsOf, inspectionOf, lineOf, proposalFor } from './propose-fixture.js';

const fixture = (name: string) => readFile(new URL(`../../../../../test/fixtures/nested/${name}`, import.meta.url));

describe('the proposal for a nested source', () => {
  it('names where the rows are, and nothing that only tables have', async () => {
    const { profile, questions } = await proposalFor(await fixture('bmecat-2005.xml'), {}, { format: 'XML' });
    assert.deepEqual(profile.format, { rowPath: 'BMECAT/T_NEW_CATALOG/PRODUCT' });
    assert.deepEqual(
      profile.undecided?.map(({ about }) => about),
      ['category'],
    );
    assert.equal(questions.length, 1, JSON.stringify(questions));
  });

  it('knows the keys of BMEcat, ETIM xChange, Google and JSON-LD', async () => {
    for (const [name, format, path] of [
      ['bmecat-2005.xml', 'XML', 'SUPPLIER_PID'],
      ['etim-xchange.json', 'JSON', 'ProductIdentification/ManufacturerProductNumber'],
      ['google-feed.xml', 'XML', 'g:id'],
      ['json-ld.json', 'JSON', 'sku'],
    ] as const) {
      const proposal = await proposalFor(await fixture(name), {}, { format });
      const { as, verdict } = lineOf(proposal, path);
      assert.deepEqual([name, as, verdict], [name, 'key', 'certain']);
    }
  });

  it('calls new attributes by what the path says, and divides values by line ends', async () => {
    const bmecat = await proposalFor(await fixture('bmecat-2005.xml'), {}, { format: 'XML' });
    const nameOf = (column: string) => lineOf(bmecat, column).to;
    assert.equal(nameOf('PRODUCT_FEATURES/FEATURE[FNAME=Farbe]/FVALUE'), 'Farbe');
    assert.equal(nameOf('PRODUCT_DETAILS/DESCRIPTION_SHORT[@lang=ger]'), 'DESCRIPTION_SHORT (de)');
    const google = await proposalFor(await fixture('google-feed.xml'), {}, { format: 'XML' });
    const rule = google.profile.columns.find(({ from }) => from === 'g:additional_image_link');
    assert.deepEqual(rule?.steps[0], { step: 'list', separator: '\n' });
    assert.equal(rule?.to, 'additional_image_link');
    assert.equal(lineOf(google, 'g:shipping/0/g:price').to, 'g:shipping/0/g:price');
  });

  it('finds the attributes of the catalog by the name of the value, and not by that of a part', async () => {
    const attributes = [
      { name: 'Price', type: 'DECIMAL' as const },
      { name: 'Brand' },
      { name: 'Title' },
      { name: 'Colour' },
    ];
    const google = await proposalFor(await fixture('google-feed.xml'), { attributes }, { format: 'XML' });
    assert.deepEqual(
      ['g:price', 'g:brand', 'title', 'g:shipping/0/g:price'].map((name) => lineOf(google, name).to),
      ['Price', 'Brand', 'Title', 'g:shipping/0/g:price'],
    );
    const linked = await proposalFor(await fixture('json-ld.json'), { attributes }, { format: 'JSON' });
    assert.deepEqual(
      ['offers/price', 'brand/name', 'name', 'additionalProperty[name=Color]/value'].map(
        (name) => lineOf(linked, name).to,
      ),
      ['Price', 'Brand', 'Title', 'Colour'],
    );
  });

  it('asks for the rows where two paths are as plausible', async () => {
    const list = (name: string) => `"${name}":[{"a":1,"b":2,"c":3},{"a":1,"b":2,"c":4}]`;
    const { profile } = await proposalFor(`{${list('left')},${list('right')}}`, {}, { format: 'JSON' });
    const asked = profile.undecided?.find(({ about }) => about === 'rowPath');
    assert.match(asked?.question ?? '', /"left".*"right"|"right".*"left"/);
    assert.deepEqual(
      asked?.readings.map(({ value, format }) => [value, format]),
      ['left', 'right'].map((rowPath) => [rowPath, { rowPath }]),
    );
    assert.equal(profile.format.rowPath, 'left');
    assert.match(asked?.readings[1]?.label ?? '', /"right".*another proposal has to be made/);
  });

  it('reads JSON of our own form as what it is', async () => {
    const rows = Array.from({ length: 8 }, (_, row) => ({
      sku: `S-${row}`,
      nodeName: row % 2 ? 'Bikes->City' : 'Bikes->Trekking',
      attributes: { Title: `Bike ${row}`, Price: row + 0.5 },
    }));
    const catalog = {
      attributes: [{ name: 'Title' }, { name: 'Price', type: 'DECIMAL' as const }],
      categories: { Bikes: [], 'Bikes->City': ['Title', 'Price'], 'Bikes->Trekking': ['Title', 'Price'] },
    };
    const proposal = await proposalFor(JSON.stringify(rows), catalog, { format: 'JSON' });
    assert.deepEqual(
      proposal.lines.map(({ from, to, as }) => [from, to, as]),
      [
        ['sku', 'SKU', 'key'],
        ['nodeName', 'Category Node', 'category'],
        ['attributes/Title', 'Title', 'attribute'],
        ['attributes/Price', 'Price', 'attribute'],
      ],
    );
    assert.deepEqual([proposal.questions, proposal.profile.format], [[], { rowPath: '.' }]);
  });

  it('holds a feed against a saved profile: paths that no row has, and those that a rule means', async () => {
    const profile = profileSchema.parse({
      fileType: 'ITEM_IMPORT',
      format: { rowPath: 'rss/channel/item' },
      columns: [
        { to: 'SKU', from: 'g:id' },
        { to: 'Category Node', constant: 'Bikes' },
        { to: 'Title', from: 'title' },
        { to: 'Sale', from: 'g:sale_price' },
        { to: 'Country', from: 'g:shipping/g:country' },
      ],
    });
    const inspection = await inspectionOf(await fixture('google-feed.xml'), { format: 'XML' });
    const attributes = [{ name: 'Title' }, { name: 'Sale' }, { name: 'Country' }];
    const definitions = definitionsOf({ attributes, categories: { Bikes: ['Title'] } });
    const held = await holdProfile({ inspection, definitions, profile }, async () => {});
    const verdictOf = (column: string) => held.lines.find(({ from }) => from === column)?.verdict;
    assert.deepEqual(['g:id', 'g:sale_price', 'g:shipping/g:country'].map(verdictOf), ['certain', 'likely', 'certain']);
    assert.equal(verdictOf('g:shipping/0/g:country'), undefined);
    assert.equal(verdictOf('g:shipping/0/g:price'), 'likely');
    assert.equal(
      held.lines.find(({ as }) => as === 'file'),
      undefined,
    );
  });
});
