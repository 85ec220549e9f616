/** The bulk request of attributes: what it answers, what a name is, and what it does to attributes that are there. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const BULK = '/api-product/v1/product/attribute/bulk';

describe('a bulk request of attributes', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  const attribute = async (name: string) =>
    (await shop.ask('GET', `/api-product/v1/product/attribute?names=${encodeURIComponent(name)}`)).data[0];
  const send = async (...elements: unknown[]) => (await shop.bulkAttributes(elements)).body.attributes;
  const codes = (failed: readonly { index: number; errors: readonly { code: string }[] }[]) =>
    failed.map(({ index, errors }) => [index, ...errors.map(({ code }) => code)]);

  it('gives its attributes ids that sort in the order of its elements, which spares Postgres to sort their values', async () => {
    const names = Array.from({ length: 40 }, (_, nth) => `Column ${nth}`);
    const { success } = await send(...names.map((name) => ({ name, type: 'TEXT' })));
    assert.deepEqual(
      success.map(({ name }: { name: string }) => name),
      names,
    );
    const ids: string[] = success.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, ids.toSorted());
  });

  it('is answered by the address of its job, and with Prefer: wait by what became of each element', async () => {
    const body = [{ name: 'Title', type: 'TEXT' }, 7, { name: '', type: 'TEXT' }, { action: 'DELETE', name: 'Nobody' }];
    const accepted = await shop.call('POST', BULK, { body });
    assert.equal(accepted.status, 202);
    assert.deepEqual(accepted.body, { jobId: accepted.body.jobId, status: 'SCHEDULED' });
    assert.equal(accepted.headers.get('location'), `/jobs/${accepted.body.jobId}`);
    await shop.outcome(accepted.body.jobId);

    const waited = await shop.bulkAttributes(body);
    const { id } = await attribute('Title');
    assert.equal(waited.status, 200);
    assert.deepEqual(waited.body, {
      jobId: waited.body.jobId,
      attributes: {
        success: [{ id, name: 'Title', message: 'unchanged' }],
        failed: [
          {
            index: 1,
            name: null,
            errors: [
              {
                code: 'ROW_NOT_OBJECT',
                path: null,
                message: 'the element is the number 7; each must be an object such as {"name":"Colour","type":"TEXT"}',
                value: null,
              },
            ],
          },
          {
            index: 2,
            name: null,
            errors: [
              {
                code: 'NAME_REQUIRED',
                path: 'name',
                message: 'the attribute has no name; every attribute needs one',
                value: null,
              },
            ],
          },
          {
            index: 3,
            name: 'Nobody',
            errors: [
              {
                code: 'ATTRIBUTE_NOT_FOUND',
                path: 'name',
                message: 'there is no attribute called "Nobody": use CREATE to add it',
                value: 'Nobody',
              },
            ],
          },
        ],
      },
    });
    const all = await shop.bulkAttributes([null, []]);
    assert.deepEqual([all.status, all.body.attributes.success, all.body.attributes.failed.length], [200, [], 2]);
  });

  it('takes names for the same whatever their case, outer blanks and composition, and refuses those of columns', async () => {
    const [made] = (await send({ name: ' Caf\u00e9 stra\u00dfe ', type: 'TEXT' })).success;
    for (const name of ['caf\u00e9 STRASSE', 'CAFE\u0301 stra\u00dfe', '\tCaf\u00e9 Stra\u00dfe\n']) {
      const { success, failed } = await send({ name: name.trim(), type: 'TEXT' });
      assert.deepEqual([success[0]?.id, failed], [made.id, []], name);
    }
    assert.equal((await attribute('cafe\u0301 strasse')).name, 'Caf\u00e9 Stra\u00dfe');
    const reserved = ['_row', ' sku', 'Category node', 'HIERARCHY NODE', 'Parent SKU', 'items', '__proto__'];
    const { success, failed } = await send(...reserved.map((name) => ({ name, type: 'TEXT' })));
    assert.deepEqual(success, []);
    assert.deepEqual(
      codes(failed),
      reserved.map((_, index) => [index, 'NAME_RESERVED']),
    );
    const odd = ['constructor', 'toString', 'SKU 2', 'Item', 'x'.repeat(255)];
    assert.equal((await send(...odd.map((name) => ({ name, type: 'TEXT' })))).success.length, odd.length);
  });

  it('CREATE replaces all that was defined, keeps id and place, and what items hold', async () => {
    await shop.define({
      attributes: [
        { name: 'Title', type: 'TEXT', textSubType: 'HTML', description: 'x', validation: { required: true } },
        'Last',
      ],
      categories: { Disk: ['Title'] },
    });
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Disk', attributes: { Title: 'long enough' } }]);
    const before = await attribute('Title');
    const { success } = await send({ name: 'TITLE', type: 'TEXT', validation: { maxLength: 3 } });
    assert.deepEqual(success, [{ id: before.id, name: 'TITLE', message: 'updated' }]);
    const after = await attribute('Title');
    assert.deepEqual(
      [after.id, after.name, after.textSubType, after.description, after.validation],
      [before.id, 'TITLE', 'SMALL_TEXT', null, { maxLength: 3 }],
    );
    const { data } = await shop.ask('GET', '/api-product/v1/product/attribute');
    assert.deepEqual(
      data.map(({ name }: { name: string }) => name),
      ['TITLE', 'Last'],
    );
    assert.deepEqual((await shop.item('a'))?.attributes, { TITLE: 'long enough' });
    const tooLong = await shop.bulk('upsert', [{ sku: 'a', attributes: { Title: 'long again' } }]);
    assert.equal(tooLong.body.errors[0].code, 'VALUE_TOO_LONG');
  });

  it('changes and deletes by id or name; a type, and an attribute, when no item holds a value any more', async () => {
    await shop.define({ attributes: ['Title', 'Colour'], categories: { Disk: ['Title', 'Colour!'] } });
    const values = { Title: 'T', Colour: 'red' };
    await shop.bulk(
      'insert',
      ['a', 'b'].map((sku) => ({ sku, nodeName: 'Disk', attributes: values })),
    );
    const { id } = await attribute('Colour');
    const retype = { action: 'UPDATE', id, type: 'INTEGER' };
    const refused = await send(retype, { action: 'DELETE', id }, { action: 'UPDATE', id, name: 'Paint' });
    assert.deepEqual(codes(refused.failed), [
      [0, 'TYPE_IN_USE'],
      [1, 'ATTRIBUTE_IN_USE'],
    ]);
    for (const { errors } of refused.failed) assert.match(errors[0].message, /2 items hold a value/);
    assert.deepEqual(refused.success, [{ id, name: 'Paint', message: 'updated' }]);

    await shop.bulk('update', [{ sku: 'a', attributes: { Paint: null } }]);
    assert.match((await send(retype)).failed[0].errors[0].message, /1 item holds a value/);
    await shop.bulk('update', [{ sku: 'b', attributes: { Paint: '' } }]);
    assert.equal((await send(retype)).success.length, 1);
    await shop.bulk('update', [{ sku: 'a', attributes: { Paint: 7 } }]);
    assert.deepEqual(codes((await send({ action: 'DELETE', name: 'paint' })).failed), [[0, 'ATTRIBUTE_IN_USE']]);
    await shop.ask('POST', '/api-product/v1/product/bulk/delete', {
      body: { skus: ['a'] },
      headers: { prefer: 'wait=25' },
    });
    assert.equal((await send({ action: 'DELETE', name: 'paint' })).success.length, 1);
    const disk = await shop.ask(
      'GET',
      `/api-category/v1/category/item-attribute?nodeId=${await shop.category('Disk')}`,
    );
    assert.deepEqual(
      disk.data.map(({ name }: { name: string }) => name),
      ['Title'],
    );
    assert.equal(await attribute('Paint'), undefined);
  });

  it('sets the part that an attribute plays, while there are no items', async () => {
    const parts = async () =>
      (await shop.ask('GET', '/api-product/v1/product/attribute/mapping')).data.map(
        ({ mapping, attribute: name }: Record<string, string>) => `${mapping} ${name}`,
      );
    const unfit = [
      { name: 'Code', type: 'TEXT', mapping: 'sku', validation: { required: true } },
      { name: 'Live', type: 'TEXT', mapping: 'active' },
      { name: 'Name', type: 'BOOLEAN', mapping: 'title' },
      { name: 'Kind', type: 'TEXT', mapping: 'isVariant' },
    ];
    assert.deepEqual(
      codes((await send(...unfit)).failed),
      unfit.map((_, index) => [index, 'FIELD_INVALID']),
    );
    const { failed } = await send(
      { name: 'Code', type: 'TEXT', mapping: 'sku', validation: { required: true, unique: true } },
      { name: 'Name', type: 'TEXT', mapping: 'title' },
      { name: 'Title', type: 'TEXT', mapping: 'title' },
      { name: 'Live', type: 'BOOLEAN', mapping: 'active' },
    );
    assert.deepEqual(failed, []);
    assert.deepEqual(await parts(), ['sku Code', 'title Title', 'active Live']);
    const kept = await send(
      { action: 'UPDATE', name: 'Code', validation: { unique: false } },
      { action: 'DELETE', name: 'Title' },
      { name: 'Live', type: 'TEXT' },
    );
    assert.deepEqual(
      codes(kept.failed),
      [0, 1, 2].map((index) => [index, 'ATTRIBUTE_IN_USE']),
    );

    await shop.define({ categories: { Disk: ['Title'] } });
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Disk' }]);
    const late = await send(
      { name: 'Name', type: 'TEXT', mapping: 'title' },
      { name: 'Title', type: 'TEXT', mapping: 'title' },
    );
    assert.deepEqual(codes(late.failed), [[0, 'FIELD_INVALID']]);
    assert.match(late.failed[0].errors[0].message, /the site contains items/);
    assert.equal(late.success[0].message, 'unchanged');
  });
});
