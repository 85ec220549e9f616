/** Scripts and files that were written for the platform that the interface describes, in the forms that they have. */
import assert from 'node:assert/strict';
import { exportText } from '../../support/http/exporting.js';
import { startReceiver } from '../../support/http/receiver.js';
import { places, type Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const PRODUCT = '/api-product/v1/product';
const CATEGORY = '/api-category/v1/category';
const WEBHOOK = '/api/v2/webhook';
const LONG_AGO = '2020-01-01T00:00:00Z';

/** An attribute file with the columns of that platform's template, and none of ours. */
const ATTRIBUTE_FILE = [
  'Attribute Title,Type of Attribute,Description,Decimal,Min,Max,Date Format,Calculation Formula,Validation Formula,Mandatory,Start With,Increment by,Method,Size,Value 1,Value 2,Value 3',
  'Brand,SHORT TEXT,Who makes it,,,,,,,,,,,,,,',
  'Story,LONG TEXT,,,,,,,,,,,,,,,',
  'Markup,HTML,,,,,,,,,,,,,,,',
  'Weight,NUMBER,in kg,TRUE,0,100,,,,,,,,,,,',
  'Pieces,NUMBER,,FALSE,1,,,,,,,,,,,,',
  'Vegan,BOOLEAN,,,,,,,,,,,,,,,',
  'Launch,DATE,,,,,MM/dd/yyyy,,,,,,,,,,',
  'Counter,SERIAL,,,,,,,,,1000,5,,,,,',
  'Colour,LOV,,,,,,,,,,,,,Red,Green,Blue',
].join('\r\n');

describe("the other platform's material", () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  describe('attributes whose options are in validation.oneOf', () => {
    const colours = { name: 'Colour', type: 'OPTIONS', optionsType: 'TEXT', validation: { oneOf: ['Red', 'Green'] } };
    const send = async (...elements: unknown[]) => (await shop.bulkAttributes(elements)).body.attributes;
    const stored = async () => (await shop.ask('GET', `${PRODUCT}/attribute`)).data;

    it('are those with options: oneOf stands for them, and is answered as options', async () => {
      assert.deepEqual((await send(colours)).failed, []);
      const [attribute] = await stored();
      assert.deepEqual([attribute.options, attribute.validation?.oneOf], [['Red', 'Green'], undefined]);
      await shop.category('Hats', ['Colour']);
      const rows = ['Red', 'Blue'].map((value) => ({
        sku: value,
        nodeName: 'Hats',
        attributeValues: [{ name: 'Colour', value }],
      }));
      const { body } = await shop.bulk('insert', rows);
      assert.deepEqual(
        [body.success.length, body.failed.map(({ code }: { code: string }) => code)],
        [1, ['VALUE_NOT_IN_OPTIONS']],
      );
    });

    it('may name both if they say the same, and fail if they differ', async () => {
      assert.deepEqual((await send({ ...colours, options: ['Green', 'Red'] })).failed, []);
      assert.deepEqual((await stored())[0].options, ['Green', 'Red'], 'in the order of options');
      const { failed } = await send({ ...colours, name: 'Other', options: ['Red', 'Blue'] });
      assert.match(JSON.stringify(failed), /validation\.oneOf.*names other values than options/);
      const numbers = { name: 'Size', type: 'OPTIONS', optionsType: 'DECIMAL' };
      const same = { ...numbers, options: [1.5, '2.0'], validation: { oneOf: ['1.50', 2] } };
      assert.deepEqual((await send(same)).failed, [], 'numbers are compared by their value');
    });

    it('are changed by either field', async () => {
      await send(colours);
      for (const [change, options] of [
        [{ validation: { oneOf: ['Blue'] } }, ['Blue']],
        [{ options: ['White'] }, ['White']],
        [{ validation: { oneOf: null } }, ['White']],
        [{ validation: { oneOf: [] }, description: 'x' }, ['White']],
      ] as const) {
        assert.deepEqual((await send({ action: 'UPDATE', name: 'Colour', ...change })).failed, []);
        assert.deepEqual((await stored())[0].options, options);
      }
      await send({ name: 'Kind', type: 'TEXT', validation: { oneOf: ['a', 'b'] } });
      assert.deepEqual((await send({ action: 'UPDATE', name: 'Kind', type: 'OPTIONS', options: ['c'] })).failed, []);
      assert.deepEqual((await send({ action: 'UPDATE', name: 'Kind', type: 'OPTIONS', options: [] })).failed.length, 1);
    });
  });

  it('its attribute file, without the columns that we added, defines every type', async () => {
    const outcome = await shop.importFile('attributes.csv', ATTRIBUTE_FILE, {}, { type: 'ATTRIBUTE_IMPORT' });
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 9], JSON.stringify(outcome.errors));
    const { data } = await shop.ask('GET', `${PRODUCT}/attribute`);
    const types = data.map(({ name, type, textSubType }: Record<string, string>) => [name, textSubType ?? type]);
    assert.deepEqual(types, [
      ['Brand', 'SMALL_TEXT'],
      ['Story', 'TEXT_AREA'],
      ['Markup', 'HTML'],
      ['Weight', 'DECIMAL'],
      ['Pieces', 'INTEGER'],
      ['Vegan', 'BOOLEAN'],
      ['Launch', 'DATETIME'],
      ['Counter', 'SERIAL'],
      ['Colour', 'OPTIONS'],
    ]);
  });

  it('its item files name the category "Hierarchy Node", and their type PRODUCT_IMPORT or ITEM_VARIANT_IMPORT', async () => {
    await shop.define({ attributes: ['Brand'], categories: { Hats: ['Brand'] } });
    for (const [type, sku, parent] of [
      ['PRODUCT_IMPORT', 'hat', ''],
      ['ITEM_VARIANT_IMPORT', 'hat-red', 'hat'],
    ] as const) {
      const file = `\ufeffHierarchy Node,SKU,Parent SKU,Brand\r\nPRIMARY->Hats,${sku},${parent},Acme\r\n`;
      const outcome = await shop.importFile('items.csv', file, {}, { type });
      assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 1], JSON.stringify(outcome.errors));
    }
    assert.deepEqual(
      (await shop.items()).map(({ sku, parentSku }) => [sku, parentSku]),
      [
        ['hat', null],
        ['hat-red', 'hat'],
      ],
    );
  });

  describe('bundle cells', () => {
    beforeEach(async () => {
      await shop.define({ categories: { Kits: [] } });
      await shop.bulk(
        'insert',
        ['A', 'B', '1', '2'].map((sku) => ({ sku, nodeName: 'Kits' })),
      );
    });
    const importCells = (...cells: string[]) => {
      const lines = cells.map((cell, index) => `Kits,k${index},"${cell}"`);
      return shop.importFile('b.csv', ['Category Node,SKU,Items', ...lines].join('\n'), {}, { type: 'BUNDLE_IMPORT' });
    };

    it('are read in each of its forms', async () => {
      const outcome = await importCells('A:2;B:1', '2, A', '2, A; 1, B', ' A : 2 ; B : 1 ', '2,1;1,2');
      assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 5], JSON.stringify(outcome.errors));
      const text = await exportText(shop, { entity: 'bundle' });
      assert.deepEqual(
        text
          .trim()
          .split('\n')
          .slice(1)
          .map((line) => line.split(',').at(-1)?.trim()),
        ['A:2;B:1', 'A:2', 'A:2;B:1', 'A:2;B:1', '1:2;2:1'],
      );
    });

    it('that could be meant otherwise are refused with the form to write', async () => {
      const outcome = await importCells('A', 'A:2,B:1', 'A:2, B:1;1:1', 'A;B');
      assert.deepEqual(places(outcome), [
        [2, 'Items', 'VALUE_TYPE'],
        [3, 'Items', 'FIELD_INVALID'],
        [4, 'Items', 'FIELD_INVALID'],
        [5, 'Items', 'VALUE_TYPE'],
        [5, 'Items', 'VALUE_TYPE'],
      ]);
      assert.match(outcome.errors[0]?.message ?? '', /write "SKU:quantity"/);
      assert.match(outcome.errors[1]?.message ?? '', /such as "A:2;B:1"/);
    });

    it('hold SKUs with commas and colons if these are escaped', async () => {
      await shop.bulk('insert', [{ sku: 'A:2,B', nodeName: 'Kits' }]);
      const outcome = await importCells('A\\:2,B:3');
      assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 1], JSON.stringify(outcome.errors));
    });
  });

  describe('a webhook definition', () => {
    const create = (over: object) => shop.post(WEBHOOK, webhookBody(over as Record<string, unknown>));

    it('with the protocol HTTPS and a target that begins with http:// is refused', async () => {
      const { status, body } = await create({ protocol: 'HTTPS', target: 'http://127.0.0.1:9/plain' });
      assert.equal(status, 400);
      assert.match(body.message, /protocol: the protocol is HTTPS, but the target begins with http:\/\//);
      const { body: made } = await create({ protocol: 'HTTPS', target: 'https://127.0.0.1:9/safe' });
      for (const change of [
        { target: 'http://127.0.0.1:9/plain' },
        { target: 'HTTP://127.0.0.1:9/safe', apiVersion: 'v2' },
      ]) {
        const answer = await shop.call('PATCH', `${WEBHOOK}/${made.webhookId}`, { body: change });
        assert.equal(answer.status, 400, answer.text);
      }
      const both = { protocol: 'HTTP', target: 'http://127.0.0.1:9/plain' };
      assert.equal((await shop.call('PATCH', `${WEBHOOK}/${made.webhookId}`, { body: both })).status, 200);
      const back = await shop.call('PATCH', `${WEBHOOK}/${made.webhookId}`, { body: { protocol: 'HTTPS' } });
      assert.equal(back.status, 400);
    });

    it('with the protocol HTTP accepts an https:// target', async () => {
      const { status, body } = await create({ protocol: 'HTTP', target: 'https://127.0.0.1:9/tls' });
      assert.deepEqual([status, body.protocol, body.target], [200, 'HTTP', 'https://127.0.0.1:9/tls']);
    });

    it('that was stored with a contradiction keeps working until its protocol or target is changed', async () => {
      const receiver = await startReceiver();
      try {
        const { body: made } = await create({ target: receiver.url });
        await world.db('webhook_definition').where({ id: made.webhookId }).update({ protocol: 'HTTPS' });
        const path = `${WEBHOOK}/${made.webhookId}`;
        assert.equal((await shop.post(`${path}/actions/test`, {})).body.delivered, true);
        for (const change of [{ events: ['ORDER_SHIPPED'] }, { protocol: 'HTTPS', target: receiver.url }]) {
          assert.equal((await shop.call('PATCH', path, { body: change })).status, 200);
        }
        const other = { target: `${receiver.url}/other` };
        assert.equal((await shop.call('PATCH', path, { body: other })).status, 400);
      } finally {
        await receiver.stop();
      }
    });
  });

  it('a fixed date in the context hides nothing that is named, and no answer to a write', async () => {
    const past = { context: { date: LONG_AGO } };
    const hats = await shop.ask('POST', CATEGORY, { ...past, body: { name: 'Hats' } });
    const summer = await shop.ask('POST', CATEGORY, { ...past, body: { name: 'Summer', type: 'ALTERNATE' } });
    const inserted = await shop.bulk('insert', [{ sku: 'A', nodeName: 'Hats' }], past);
    assert.equal(inserted.status, 200);
    const { body: made } = await shop.post(WEBHOOK, webhookBody(), past);
    const { id: fileId, jobId } = await shop.ask('POST', '/files/product', {
      ...past,
      body: { fileName: 'a.csv', fileType: 'ITEM_IMPORT' },
    });
    for (const path of [
      `${PRODUCT}/A`,
      `${CATEGORY}/tree?nodeId=${hats.nodeId}`,
      `${CATEGORY}/item-attribute?nodeId=${hats.nodeId}`,
      `${WEBHOOK}/${made.webhookId}`,
      `/jobs/${jobId}`,
      `/jobs/${inserted.body.jobId}`,
      `/files/product/${fileId}`,
    ]) {
      assert.equal((await shop.get(path, past)).status, 200, path);
    }
    const items = [{ sku: 'A', action: 'SET' }];
    const set = await shop.post(`${CATEGORY}/item`, { nodeId: summer.nodeId, items }, past);
    assert.doesNotMatch(set.text, /SKU_NOT_FOUND/);
    assert.equal((await shop.ask('GET', `${PRODUCT}?nodeId=${summer.nodeId}`)).count, 1);
    assert.equal((await shop.get(WEBHOOK, past)).body.length, 1);
    for (const path of ['/jobs/product', '/files/product']) assert.notEqual((await shop.get(path, past)).body.count, 0);
    for (const path of [PRODUCT, CATEGORY]) assert.equal((await shop.get(path, past)).body.count, 0, path);
    const renamed = { body: { nodeId: hats.nodeId, name: 'Caps' }, ...past };
    assert.equal((await shop.ask('PUT', CATEGORY, renamed)).name, 'Caps');
  });
});
