/** What the messages about rows, definitions and ends of jobs say, where a reader could be misled. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ATTRIBUTE = { name: 'T', type: 'TEXT' };

describe('what messages say', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  it('accents that are written as characters of their own are those of the rule', async () => {
    const attributes = [{ ...ATTRIBUTE, validation: { contains: 'é' } }];
    await shop.define({ attributes, categories: { Hats: ['T'] } });
    const rows = ['caf\u00e9', 'cafe\u0301'].map((T, index) => ({
      sku: `${index}`,
      nodeName: 'Hats',
      attributes: { T },
    }));
    const { status, body } = await shop.bulk('insert', rows);
    assert.deepEqual([status, body.failed], [200, []], JSON.stringify(body));
  });

  it('accents that are written as characters of their own are those of a pattern and of listed values', async () => {
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'] as const;
    for (const listed of [composed, decomposed]) {
      const shop = await world.newShop();
      const attributes = [
        { ...ATTRIBUTE, name: 'Pattern', validation: { pattern: `^${listed}$` } },
        { ...ATTRIBUTE, name: 'Other', validation: { pattern: '^[a-z\u00e9]{4}$' } },
        { ...ATTRIBUTE, name: 'Not', validation: { pattern: '^[^\u00e9]*$' } },
        { ...ATTRIBUTE, name: 'Listed', validation: { oneOf: ['other', listed] } },
        { name: 'Options', type: 'OPTIONS', options: [listed, 'other'] },
      ];
      await shop.define({ attributes, categories: { Hats: attributes.map(({ name }) => name) } });
      for (const [sku, text] of Object.entries({ composed, decomposed })) {
        const fields = { Pattern: text, Other: text, Listed: text, Options: text };
        const file = `SKU,Category Node,${Object.keys(fields)}\n${sku},Hats,${Object.values(fields)}\n`;
        const outcome = await shop.importFile('a.csv', file);
        assert.deepEqual([outcome.created, outcome.errors], [1, []], `${listed} ${sku}`);
        const { body } = await shop.bulk('upsert', [{ sku, nodeName: 'Hats', attributes: fields }]);
        assert.deepEqual(body.failed, []);
        // A value of a list is stored as the list has it, so that filters and reports find it.
        const { attributes: stored } = (await shop.item(sku)) ?? {};
        assert.deepEqual([stored?.Pattern, stored?.Listed, stored?.Options], [text, listed, listed]);
        const { body: refused } = await shop.bulk('upsert', [{ sku, nodeName: 'Hats', attributes: { Not: text } }]);
        assert.equal(refused.errors[0].code, 'VALUE_PATTERN');
      }
      const { body } = await shop.bulk('insert', [{ sku: 'x', nodeName: 'Hats', attributes: { Options: 'cafe' } }]);
      assert.equal(body.errors[0].code, 'VALUE_NOT_IN_OPTIONS');
    }
  });

  it('an address with another scheme is refused because of its scheme', async () => {
    await shop.define({ attributes: [{ name: 'T', type: 'URL' }], categories: { Hats: ['T'] } });
    const row = { sku: 'a', nodeName: 'Hats', attributes: { T: 'ftp://example.com/a' } };
    const { body } = await shop.bulk('insert', [row]);
    assert.match(body.errors[0].message, /begins with ftp:\/\/, and addresses of web pages begin with https:\/\//);
  });

  it('the end of a dry run says how many rows would fail, and that of a job if all have', async () => {
    await shop.category('Hats');
    const file = 'SKU,Category Node\na,Hats\nb,None\n';
    const dry = await shop.importFile('a.csv', file, { validateOnly: true });
    assert.deepEqual([dry.status, dry.failed], ['COMPLETED', 1]);
    assert.match(dry.message, /nothing was written, and 1 of 2 rows would fail/);
    const none = await shop.importFile('a.csv', 'SKU,Category Node\nb,None\n');
    assert.match(none.message, /^the only row failed; each error says why/);
    const abort = await shop.importFile('a.csv', file, { onError: 'abort' });
    assert.match(abort.message, /^1 row failed, and nothing was written/);
  });

  it('the codes of refused fields are not those of the validator', async () => {
    const { status, body } = await shop.post('/api-category/v1/category/item-attribute', {
      nodeId: 'x',
      itemAttributes: [],
    });
    assert.equal(status, 400);
    for (const { code } of body.errors) assert.match(code, /^INVALID_(TYPE|VALUE)$/, JSON.stringify(body));
    assert.ok(body.errors.length > 0);
  });

  it('a superseded row is not told to be corrected and sent again', async () => {
    await shop.category('Hats');
    const job = await shop.importFile('a.csv', 'SKU,Category Node\na,Hats\na,Hats\n');
    assert.deepEqual([job.status, job.failed], ['COMPLETED_PARTIALLY', 1]);
    const { body } = await shop.get(`/jobs/${job.id}/errors`);
    for (const text of [job.message, ...body.data.map(({ message }: { message: string }) => message)]) {
      assert.doesNotMatch(text, /correct|again/, JSON.stringify(body));
    }
  });

  it('what is not JSON is told by its place and what is expected there, in our own words', async () => {
    const bulk = await shop.call('POST', '/api-product/v1/product/bulk/insert', {
      body: '[{"sku":"a"},{"sku" "b"}]',
    });
    assert.equal(bulk.status, 400);
    assert.match(bulk.body.message, /element 1 is not JSON: at character 8 \(here: "b"\}\) a colon is expected/);
    const body = await shop.call('POST', '/jobs/product/actions/export', { body: '{\n  "format": CSV\n}' });
    assert.equal(body.status, 400);
    assert.match(body.body.message, /the body is not JSON: at line 2, character 13 \(here: CSV/);
    await shop.category('Hats');
    const { id } = await shop.importFile('a.jsonl', '{"sku":"a","nodeName":"Hats"}\n{"sku":"b",}\n');
    const errors = await shop.get(`/jobs/${id}/errors`);
    assert.match(errors.body.data[0].message, /Row 2 is not valid JSON: at character 12 \(here: \}\) a name in double/);
  });

  it('a pattern that RE2 refuses is told what to write instead', async () => {
    const { body } = await shop.bulkAttributes([{ ...ATTRIBUTE, validation: { pattern: '(ab' } }]);
    const text = JSON.stringify(body.attributes.failed);
    assert.match(text, /the pattern has a \( without its \): close it/);
    assert.doesNotMatch(text, /regexp/);
  });

  it('times that are exchanged are refused by name, not answered with nothing', async () => {
    const times = { since: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' };
    const answers = [
      await shop.get(`/api/v2/audit?${new URLSearchParams(times)}`),
      await shop.post('/api/v2/webhook/event/query', { filters: times }),
      await shop.post('/api/v2/webhook/retry', { ...times, webhookId: 'x', status: 'FAILED' }),
    ];
    for (const { status, body } of answers) {
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(JSON.stringify(body), /is 2026-02-01T00:00:00.000Z, which is after until, 2026-01-01T00:00:00.000Z/);
    }
  });

  it('a list of jobs shows the names of their files, and whether all rows failed, also of a dry run', async () => {
    await shop.category('Hats');
    await shop.importFile('good.csv', 'SKU,Category Node\na,Hats\n');
    await shop.importFile('some.csv', 'SKU,Category Node\na,Hats\nb,None\n');
    await shop.importFile('bad.csv', 'SKU,Category Node\nb,None\n');
    await shop.importFile('try.csv', 'SKU,Category Node\nb,None\n', { validateOnly: true });
    const { data } = (await shop.get('/jobs/product?type=ITEM_IMPORT')).body;
    type Shown = { inputFileName: string; status: string; outcome: string; options: { validateOnly: boolean } };
    assert.deepEqual(
      data.map(({ inputFileName, status, outcome, options }: Shown) => [
        inputFileName,
        status,
        outcome,
        options.validateOnly,
      ]),
      [
        ['try.csv', 'COMPLETED', 'ALL_FAILED', true],
        ['bad.csv', 'COMPLETED_PARTIALLY', 'ALL_FAILED', false],
        ['some.csv', 'COMPLETED_PARTIALLY', 'SOME_FAILED', false],
        ['good.csv', 'COMPLETED', 'NONE_FAILED', false],
      ],
    );
  });

  it('a role is taken away by NULL in a file, only while the site has no items', async () => {
    const roles = async () => {
      const { data } = await shop.ask('GET', '/api-product/v1/product/attribute/mapping');
      return data.map(({ attribute, mapping }: { attribute: string; mapping: string }) => `${attribute}: ${mapping}`);
    };
    const file = (mapping: string) => `Attribute Title,Type of Attribute,Mapping\nName,SHORT TEXT,${mapping}\n`;
    const importRoles = (mapping: string) => shop.importFile('a.csv', file(mapping), {}, { type: 'ATTRIBUTE_IMPORT' });
    assert.equal((await importRoles('title')).status, 'COMPLETED');
    assert.deepEqual(await roles(), ['Name: title']);
    assert.equal((await importRoles('')).status, 'COMPLETED');
    assert.deepEqual(await roles(), ['Name: title']);
    assert.equal((await importRoles('NULL')).status, 'COMPLETED');
    assert.deepEqual(await roles(), []);
    await importRoles('title');
    await shop.category('Hats');
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Hats' }]);
    const kept = await importRoles('NULL');
    assert.deepEqual([kept.failed, kept.errors[0]?.column], [1, 'Mapping']);
    assert.deepEqual(await roles(), ['Name: title']);
  });

  it("the other platform's rules that are not supported are refused by name", async () => {
    for (const rule of ['attributeTypes', 'inverse', 'exact']) {
      const { body } = await shop.bulkAttributes([{ ...ATTRIBUTE, validation: { [rule]: true } }]);
      assert.match(JSON.stringify(body.attributes.failed), new RegExp(`validation\\.${rule}`));
    }
  });
});
