/** A stage that has something of everything: for tests that copy whole stages. */
import assert from 'node:assert/strict';
import type { Shop } from '../http/shop.js';
import { EXAMPLES } from './attribute-values.js';

const PROFILE = {
  fileType: 'ITEM_IMPORT',
  columns: [
    { to: 'SKU', from: 'Artikel' },
    { to: 'Colour', from: 'Farbe', steps: [{ step: 'replace', table: { rot: 'red', blau: 'blue' } }] },
  ],
} as const;

/** Fills an empty stage: all types of attributes, variants, bundles, both kinds of trees, and what is set around them. */
export async function fillStage(shop: Shop): Promise<void> {
  const types = EXAMPLES.map(({ name, example }, index) => ({
    ...example.definition,
    name: `${name} ${index}`,
    type: name,
  }));
  const made = await shop.bulkAttributes([
    { name: 'Artikel', type: 'TEXT', mapping: 'sku', validation: { required: true, unique: true } },
    {
      ...{ name: 'Title', type: 'TEXT', mapping: 'title', description: 'What it is <b>called</b>' },
      locales: [{ locale: 'de-DE', name: 'Bezeichnung' }],
    },
    { name: 'Text', type: 'TEXT', textSubType: 'HTML', validation: { inheritable: true } },
    { name: 'Colour', type: 'OPTIONS', options: ['red', 'blue', 'näht;"', '😀'], validation: { inheritable: true } },
    { name: 'Number', type: 'SERIAL', serialStart: 100, validation: { incrementBy: 5 } },
    { name: 'On', type: 'BOOLEAN', mapping: 'active' },
    { name: 'Variant', type: 'BOOLEAN', mapping: 'isVariant' },
    { name: 'Code', type: 'TEXT', validation: { unique: true } },
    ...types,
  ]);
  assert.deepEqual(made.body.attributes.failed, []);
  await shop.ask('POST', '/api-product/v1/product/attribute/mapping', {
    body: { mappings: [{ mapping: 'title', name: 'Title', required: true }] },
  });
  const itemAttributes = [
    'Title!',
    'Text',
    'Colour',
    'Number',
    'On',
    'Variant',
    'Code',
    ...types.map(({ name }) => name),
  ].map((name) => ({ name: name.replace('!', ''), mandatory: name.endsWith('!') }));
  const categories = await shop.bulkCategories([
    { path: 'Bikes', order: 2, itemAttributes: itemAttributes.slice(0, 3) },
    { path: 'Bikes->E-Bikes & <more>', itemAttributes },
    { path: 'Helmets', order: 1, active: false, itemAttributes },
    { path: 'Season', type: 'ALTERNATE' },
    { path: 'Season->2027', type: 'ALTERNATE' },
    { path: '2026', type: 'ALTERNATE' },
  ]);
  assert.deepEqual(categories.body.categories.failed, [], JSON.stringify(categories.body));
  const values = Object.fromEntries(
    EXAMPLES.flatMap(({ name, example: { values: [value] = [] } }, index) =>
      value === undefined ? [] : [[`${name} ${index}`, value]],
    ),
  );
  const rows = await shop.bulk('insert', [
    {
      ...{
        sku: 'parent',
        nodeName: 'Bikes->E-Bikes & <more>',
        alternateCategories: ['Season->2027', '2026'],
        channels: [3, 1],
      },
      attributes: {
        Title: 'Räder "groß"',
        Text: '<p>one\ntwo\r\n😀 &amp; \\ NULL</p>',
        Colour: 'red',
        Code: 'x',
        ...values,
      },
    },
    {
      sku: 'variant',
      nodeName: 'Bikes->E-Bikes & <more>',
      parentSku: 'parent',
      attributes: { Title: 'A', Colour: '😀' },
    },
    { sku: 'draft', nodeName: 'Helmets', attributes: {} },
    { sku: 'off', nodeName: 'Helmets', attributes: { Title: '\u2028', On: false, Number: 7, Text: 'stays' } },
    { sku: 'last', nodeName: 'Helmets', attributes: { Title: 'has the last number' } },
    {
      ...{ sku: 'set', type: 'BUNDLE', nodeName: 'Helmets', attributes: { Title: 'Set' } },
      bundleItems: [
        { sku: 'variant', quantity: 2 },
        { sku: 'off', quantity: 1 },
      ],
    },
  ]);
  assert.deepEqual(rows.body.failed, [], JSON.stringify(rows.body));
  // Its number is not given again.
  await shop.ask('POST', '/api-product/v1/product/bulk/delete', {
    ...{ body: { skus: ['last'] }, headers: { prefer: 'wait=25' } },
  });
  // The item keeps a value that its category does not ask for any more.
  const without = itemAttributes.filter(({ name }) => name !== 'Text');
  const changed = await shop.bulkCategories([{ path: 'Helmets', itemAttributes: without }]);
  assert.deepEqual(changed.body.categories.failed, []);
  const saved = await shop.post('/import-profiles', { name: 'Händler', profile: PROFILE });
  assert.ok(saved.status < 300, saved.text);
  await shop.ask('PATCH', '/site-settings', {
    body: { aliases: { Colour: ['Farbe'] }, defaultProfiles: { ITEM_IMPORT: 'Händler' }, approval: { items: 5 } },
  });
  const hook = {
    ...{ protocol: 'HTTPS', source: 'CATALOG', events: ['ITEM_UPDATED'], targetApiKey: 'a-secret-of-the-partner' },
    ...{ headers: { 'x-team': 'another-secret-value' }, ordering: 'key', rateLimit: 5 },
    filter: { path: '/payload/sku', in: ['parent', 1.5] },
  };
  for (const target of ['https://example.com/one', 'https://example.com/two']) {
    await shop.ask('POST', '/api/v2/webhook', { body: { ...hook, target } });
  }
}
