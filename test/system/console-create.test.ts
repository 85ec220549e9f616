/** Items, attributes, categories and assignments in a real Chromium: created, deleted after a preview, and taken back. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const PATH = '/console/production';

describe('what a person creates and deletes in the console', function () {
  this.timeout(120_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim from purchasing' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(20_000);
    await person.logIn(token);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const page = () => person.page;
  const dialog = () => page().getByRole('dialog');
  const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click();
  const isGone = () => dialog().waitFor({ state: 'detached' });
  const branch = (name: string) => page().getByRole('row', { name, exact: true });
  const attributeNames = async () =>
    (await shop.ask('GET', '/api-product/v1/product/attribute')).data.map(({ name }: { name: string }) => name);
  const assigned = async (name: string) => {
    const { data } = await shop.ask('GET', `/api-category/v1/category?keyword=${name}`);
    return data[0].attributes.map((one: { name: string; required: boolean }) => [one.name, one.required]);
  };

  it('says what comes before a first item, and creates a first category and attributes', async () => {
    await page().goto(`${PATH}/items`);
    await person.button('New item').click();
    await page().getByText('Every item belongs to a category: create one first.').waitFor();
    await person.assertOpenToAll('a first item without a category');
    await page().getByRole('link', { name: 'Go to the categories' }).click();
    await page().getByText('There are no categories yet').waitFor();
    await person.assertOpenToAll('no categories');
    const approval = (when: string) => shop.ask('PATCH', '/site-settings', { body: { approval: { when } } });
    const create = async () => {
      await page().getByLabel('Name of the first category').fill('Tents');
      await person.button('Create').click();
      // As it is called where the trees are shown.
      await dialog().getByRole('rowheader', { name: 'main tree' }).first().waitFor();
      await press('Create');
    };
    await approval('ALWAYS');
    await create();
    await page().getByText('The change waits for an approval').waitFor();
    const [waiting] = (await shop.ask('GET', '/jobs/product?status=AWAITING_APPROVAL')).data;
    await shop.post(`/jobs/${waiting.id}/actions/reject`, {});
    await approval('REQUESTED');
    await create();
    await branch('Tents').click();
    await page()
      .getByRole('link', { name: /There are no attributes to assign/ })
      .click();
    await page().getByText('There are no attributes yet').waitFor();
    for (const name of ['Title', 'Weight']) {
      await person.button('New attribute').click();
      await dialog().getByLabel('Name', { exact: true }).fill(name);
      if (name === 'Title') await dialog().getByText('Title', { exact: true }).click();
      await press('Create');
      await page().getByText('It is written').waitFor();
      await press('Close');
      await isGone();
    }
    assert.deepEqual((await attributeNames()).sort(), ['Title', 'Weight']);
    await page()
      .getByRole('row', { name: /^Title Text.*Title$/ })
      .waitFor();
    const [role] = (await shop.ask('GET', '/api-product/v1/product/attribute/mapping')).data;
    assert.deepEqual([role.attribute, role.mapping], ['Title', 'title']);
  });

  it('assigns attributes to a category as one job each, makes one mandatory, and takes that back', async () => {
    await page().goto(`${PATH}/categories`);
    await branch('Tents').click();
    await page().getByText('It has no attributes.').waitFor();
    // The trial of the first category, and the job that has created it; and those of before, which nobody approved.
    const createdBefore = 4;
    for (const name of ['Title', 'Weight']) {
      await page().getByRole('combobox', { name: 'Assign an attribute' }).fill(name);
      await page().getByRole('option', { name, exact: true }).click();
      await person.button('Assign').click();
      await page().getByText(`“${name}” is assigned`).waitFor();
    }
    await person.button('Make mandatory: Title').click();
    await person.button('Not mandatory: Title').waitFor();
    assert.deepEqual(await assigned('Tents'), [
      ['Title', true],
      ['Weight', false],
    ]);
    await person.assertOpenToAll('the attributes of a category');
    await person.button('Unassign: Weight').click();
    await page().getByText('“Weight” is not assigned any more').waitFor();
    assert.deepEqual(await assigned('Tents'), [['Title', true]]);
    await person.button('Undo').click();
    await page().getByText('It is as it was before').waitFor();
    assert.deepEqual(await assigned('Tents'), [
      ['Title', true],
      ['Weight', false],
    ]);
    const { rows } = await world.db.raw("SELECT type FROM job WHERE type ~ 'CATEGOR|REVERT' AND site_id = ?", [
      shop.siteId,
    ]);
    const made = rows.length - createdBefore;
    assert.equal(made, 5, `${JSON.stringify(rows)}: one job for each change and for the undo`);
  });

  it('creates an item by keyboard alone, says what the API says, and takes it back', async () => {
    await page().goto(`${PATH}/items`);
    await page().getByText('There are no items yet').waitFor();
    await person.button('New item').focus();
    await page().keyboard.press('Enter');
    await dialog().getByLabel('SKU', { exact: true }).focus();
    // A blank that nobody sees is no part of a SKU.
    await page().keyboard.type('T-1 ');
    await page().keyboard.press('Tab');
    await page().keyboard.type('Ten');
    await page().getByRole('option', { name: 'Tents', exact: true }).waitFor();
    await page().keyboard.press('ArrowDown');
    await page().keyboard.press('Enter');
    await page()
      .getByText(/It is put into .?Tents/)
      .waitFor();
    await dialog().getByLabel('Title of T-1').focus();
    await page().keyboard.type('Aurora');
    await dialog().getByRole('combobox', { name: 'Category' }).fill('Ten');
    await page().getByRole('option', { name: 'Tents', exact: true }).click();
    assert.equal(await dialog().getByLabel('Title of T-1').inputValue(), 'Aurora', 'what was typed stays');
    await person.assertOpenToAll('a new item');
    await dialog().getByRole('button', { name: 'Only check' }).focus();
    await page().keyboard.press('Enter');
    await page().getByText('This would be accepted').waitFor();
    assert.deepEqual(await shop.items(), []);
    await dialog().getByRole('button', { name: 'Create' }).focus();
    await page().keyboard.press('Enter');
    await page().getByText('“T-1” is created').waitFor();
    assert.equal((await shop.item('T-1'))?.attributes.Title, 'Aurora');
    await person.assertOpenToAll('an item that is created');
    await press('Undo');
    await page().getByText('It is as it was before').waitFor();
    assert.equal(await shop.item('T-1'), undefined);
    await press('Close');
    await isGone();
  });

  it('refuses a second item of the same SKU with the words of the API', async () => {
    const row = { sku: 'T-1', nodeName: 'Tents', attributes: { Title: 'Aurora', Weight: 'light' } };
    assert.deepEqual((await shop.bulk('insert', [row])).body.failed, []);
    await person.button('New item').click();
    await dialog().getByLabel('SKU', { exact: true }).fill('T-1');
    await dialog().getByRole('combobox', { name: 'Category' }).fill('Ten');
    await page().getByRole('option', { name: 'Tents', exact: true }).click();
    await press('Create');
    await page().getByText('1 row was refused').waitFor();
    await press('Close');
    await isGone();
  });

  it('deletes an item after it has said what goes, and brings it back', async () => {
    await page().goto(`${PATH}/items/item?sku=T-1`);
    await person.button('Delete').click();
    await page().getByText('1 deleted item').waitFor();
    await person.assertOpenToAll('the question before an item is deleted');
    assert.notEqual(await shop.item('T-1'), undefined);
    await press('Delete');
    await page().getByText('“T-1” is deleted').waitFor();
    assert.equal(await shop.item('T-1'), undefined);
    await press('Undo');
    await page().getByText('It is as it was before').waitFor();
    assert.equal((await shop.item('T-1'))?.attributes.Weight, 'light');
    await press('Close');
    await person.button('Edit').waitFor();
  });

  it('deletes an attribute only where no item has a value, and says what goes with it', async () => {
    await page().goto(`${PATH}/attributes`);
    await person.button('Weight').click();
    await press('Delete');
    await page().getByText('1 item has a value of it: clear it first.').waitFor();
    await page().getByText('This cannot be deleted').waitFor();
    assert.equal(await dialog().getByRole('button', { name: 'Delete', exact: true }).count(), 0);
    await person.assertOpenToAll('an attribute that cannot be deleted');
    await press('Keep it');
    await isGone();
    await shop.bulk('update', [{ sku: 'T-1', attributes: { Weight: null } }]);
    await person.button('Weight').click();
    await press('Delete');
    await dialog()
      .getByRole('row', { name: /Weight to Tents.*Assignment, deleted/ })
      .waitFor();
    await person.assertOpenToAll('the question before an attribute is deleted');
    await press('Delete');
    await page().getByText('“Weight” is deleted').waitFor();
    assert.deepEqual(await attributeNames(), ['Title']);
    await press('Undo');
    await page().getByText('It is as it was before').waitFor();
    assert.deepEqual((await attributeNames()).sort(), ['Title', 'Weight']);
    assert.deepEqual((await assigned('Tents')).length, 2);
    await press('Close');
    await isGone();
    await person.button('Weight').waitFor();
  });

  it('deletes an empty category and makes it anew, and says what is in one that is not', async () => {
    await shop.category('Maps', ['Title']);
    await page().goto(`${PATH}/categories`);
    await branch('Tents').click();
    await person.button('Delete').click();
    await page().getByText('1 item is in it: move or delete it first.').waitFor();
    assert.equal(await dialog().getByRole('button', { name: 'Delete', exact: true }).isDisabled(), true);
    const places = async () =>
      (await world.db('item').join('category', 'category.node_id', 'item.node_id').where('category.name', 'Maps'))
        .length;
    await dialog().getByRole('combobox', { name: 'Move its items to' }).fill('Map');
    await page().getByRole('option', { name: 'Maps', exact: true }).click();
    await dialog().getByText('They go to: Maps').waitFor();
    await person.assertOpenToAll('the question before a category that has items is deleted');
    await press('Move 1 item');
    await dialog().getByText('1 item was moved').waitFor();
    await dialog().getByText('No item is in it.').waitFor();
    assert.equal(await places(), 1);
    assert.equal(await dialog().getByRole('button', { name: 'Delete', exact: true }).isDisabled(), false);
    await press('Undo');
    await dialog().getByText('1 item is in it: move or delete it first.').waitFor();
    assert.equal(await places(), 0);
    await press('Keep it');
    await isGone();
    await branch('Maps').click();
    await page().getByRole('heading', { name: 'Maps' }).waitFor();
    await person.button('Delete').click();
    await page().getByText('No item is in it.').waitFor();
    await person.assertOpenToAll('the question before a category is deleted');
    await press('Delete');
    await person.holdUndo();
    await page().getByText('“Maps” is deleted').waitFor();
    await branch('Maps').waitFor({ state: 'detached' });
    await person.assertOpenToAll('a category that is deleted');
    await person.button('Undo').click();
    await branch('Maps').waitFor();
    assert.deepEqual(await assigned('Maps'), [['Title', false]]);
  });

  it('shows what a job changes of definitions before it does so and afterwards, a line for each property', async () => {
    const rows =
      'Attribute Title,Type of Attribute,Value 1,Value 2\nColour,LOV,red,blue\nCare,SHORT TEXT,,\nTitle,SHORT TEXT,,\n';
    const type = 'ATTRIBUTE_IMPORT';
    for (const options of [{ validateOnly: true }, {}]) {
      const job = await shop.upload('attributes.csv', rows, { mode: 'upsert', ...options }, { type });
      await shop.outcome(job);
      await page().goto(`${PATH}/imports/${job}`);
      await page()
        .getByRole('row', { name: /^Colour Attribute, new Options – red, blue/ })
        .waitFor();
      await page()
        .getByText(/^new and existing ones · CSV/)
        .waitFor();
      const lines = await page()
        .getByRole('row', { name: /^(Colour|Care)/ })
        .allInnerTexts();
      assert.deepEqual(
        lines.map((line) => line.split('\t').filter((_, index) => index !== 1)),
        [
          ['Colour', 'Type', '–', 'One of several options'],
          ['Colour', 'Type of the options', '–', 'Text'],
          ['Colour', 'Options', '–', 'red, blue'],
          ['Care', 'Type', '–', 'Text'],
          ['Care', 'Kind of text', '–', 'One line'],
        ],
      );
      await person.assertOpenToAll('changed definitions');
    }
    const { jobId } = (await shop.bulkAttributes([{ action: 'UPDATE', name: 'Colour', options: ['red', 'green'] }]))
      .body;
    await page().goto(`${PATH}/imports/${jobId}`);
    await page()
      .getByRole('row', { name: /^Colour Attribute, changed Options red, blue red, green/ })
      .waitFor();
    assert.equal(await page().getByText('No item is changed.').count(), 0);
  });

  it('gives attributes rules that fit their types, which values have to obey, and takes them away', async () => {
    const define = async (name: string, type: string, rules: Readonly<Record<string, string>>) => {
      await person.button('New attribute').click();
      await dialog().getByLabel('Name', { exact: true }).fill(name);
      await dialog().getByRole('button', { name: 'Type' }).click();
      await page().getByRole('option', { name: type, exact: true }).click();
      for (const [label, text] of Object.entries(rules)) await dialog().getByLabel(label, { exact: true }).fill(text);
    };
    const rulesOf = async (name: string) => {
      const { data } = await shop.ask('GET', '/api-product/v1/product/attribute');
      return data.find((one: { name: string }) => one.name === name)?.validation;
    };
    await page().goto(`${PATH}/attributes`);
    await define('Length', 'Decimal number', { Least: 'short', Most: '1,000.5' });
    await dialog().getByText('This is not a number.').waitFor();
    assert.equal(await dialog().getByRole('button', { name: 'Create' }).isDisabled(), true);
    await dialog().getByLabel('Least', { exact: true }).fill('0.5');
    await person.assertOpenToAll('the rules of an attribute');
    await press('Create');
    await page().getByText('It is written').waitFor();
    await press('Close');
    await isGone();
    const { range } = await rulesOf('Length');
    assert.deepEqual([Number(range.min), Number(range.max)], [0.5, 1000.5]);
    await person.button('Length').click();
    assert.equal(await dialog().getByLabel('Most', { exact: true }).inputValue(), '1000.5');
    for (const end of ['Least', 'Most']) await dialog().getByLabel(end, { exact: true }).fill('');
    await press('Change');
    await page().getByText('It is written').waitFor();
    await press('Undo');
    await page().getByText('It is as it was before').waitFor();
    assert.deepEqual((await rulesOf('Length')).range, range);
    await press('Close');
    await isGone();
  });

  const alternates = async (sku: string) =>
    (await shop.ask('GET', `/api-category/v1/category?sku=${sku}&type=ALTERNATE`)).data
      .map(({ name }: { name: string }) => name)
      .sort();
  const field = (name: string) => page().locator(`[data-field=${name}]`);
  /** Writes what was changed on the page of an item. */
  const write = async () => {
    await person.button('See what would change').click();
    await press('Write these changes');
    await page().getByText('1 item was changed').waitFor();
    await press('Close');
    await isGone();
  };

  it('puts an item into categories of other trees and takes it out, after a preview, and sets that back', async () => {
    const paths = ['Summer', 'Summer->Beach', 'Summer->Lake', 'Brands', 'Brands->Aurora'];
    await shop.bulkCategories(paths.map((path) => ({ path, type: 'ALTERNATE' })));
    await page().goto(`${PATH}/items/item?sku=T-1`);
    await person.button('Edit').click();
    await field('alternateCategories').getByText('None is chosen').waitFor();
    await field('alternateCategories').getByRole('button', { name: 'Choose categories' }).click();
    // Of all trees but the main one, of which each level is loaded when it is opened.
    await dialog().getByRole('row', { name: 'Beach', exact: true }).click();
    assert.equal(await dialog().getByRole('row', { name: 'Tents', exact: true }).count(), 0);
    await dialog().getByRole('combobox', { name: 'Find a category' }).fill('auro');
    await page().getByRole('option', { name: 'Brands › Aurora' }).click();
    await dialog().getByText('Brands › Aurora').waitFor();
    await person.assertOpenToAll('the choice of categories');
    await press('Done');
    await isGone();
    await person.assertOpenToAll('where an item belongs');
    await person.button('See what would change').click();
    await dialog()
      .getByRole('row', { name: /^T-1 Other categories –.*Summer › Beach.*Brands › Aurora/s })
      .waitFor();
    assert.deepEqual(await alternates('T-1'), []);
    await press('Write these changes');
    await page().getByText('1 item was changed').waitFor();
    assert.deepEqual(await alternates('T-1'), ['Aurora', 'Beach']);
    await press('Close');
    await isGone();
    await field('alternateCategories').getByRole('button', { name: 'Take away: Summer › Beach' }).click();
    await write();
    assert.deepEqual(await alternates('T-1'), ['Aurora']);
    const [change] = await page().locator('.history-entry').all();
    await change?.getByRole('row', { name: /^Other categories .*Summer › Beach/s }).waitFor();
    await change?.getByRole('button', { name: 'Set back these values' }).click();
    await write();
    assert.deepEqual(await alternates('T-1'), ['Aurora', 'Beach']);
  });

  it('makes a tree for merchandising, orders it, switches a category off, and puts an item into it', async () => {
    await page().goto(`${PATH}/categories`);
    await page().getByLabel('Name of a new tree').fill('Gifts');
    await person.button('New tree').click();
    await press('Create');
    await page().getByRole('heading', { name: 'Gifts' }).waitFor();
    for (const name of ['Small', 'Large']) {
      await page().getByLabel('New category below it').fill(name);
      await person.button('Create').click();
      await press('Create');
      await branch(name).waitFor();
    }
    const names = () => page().locator('.tree-name').allInnerTexts();
    const below = async () => (await names()).filter((name) => /^(Small|Large)$/.test(name));
    assert.deepEqual(await below(), ['Small', 'Large']);
    await branch('Small').click();
    await page().getByRole('heading', { name: 'Small' }).waitFor();
    await page().getByLabel('Order number').fill('x');
    await page().getByText('Type a whole number, such as 10.').waitFor();
    await page().getByLabel('Order number').fill('10');
    await person.button('Set the order number').click();
    await press('Write this change');
    await person.holdUndo();
    await until('it stands behind', async () => (await below()).join() === 'Large,Small', 20_000);
    await person.button('Undo').click();
    await until('it stands before', async () => (await below()).join() === 'Small,Large', 20_000);
    await page().getByText('Active', { exact: true }).click();
    await press('Write this change');
    await page().locator('.tree-name.inactive', { hasText: 'Small' }).waitFor();
    await person.assertOpenToAll('a category that is not active');
    await page().getByRole('combobox', { name: 'Put items into it' }).fill('T-1');
    await page().getByRole('option', { name: 'T-1' }).click();
    await page().getByRole('list', { name: 'Chosen' }).getByText('T-1').waitFor();
    await page().reload();
    await page().getByRole('list', { name: 'Chosen' }).getByText('T-1').waitFor();
    await person.button('See what would change').click();
    await dialog()
      .getByRole('row', { name: /^T-1 Other categories .*Gifts › Small/s })
      .waitFor();
    assert.deepEqual(await alternates('T-1'), ['Aurora', 'Beach'], 'it is a preview');
    await press('Write these changes');
    await page().getByText('1 item was changed').waitFor();
    assert.deepEqual(await alternates('T-1'), ['Aurora', 'Beach', 'Small']);
    const job = await dialog().getByRole('link', { name: 'Show the whole result' }).getAttribute('href');
    await press('Undo');
    await page().getByText('It is as it was before').waitFor();
    assert.deepEqual(await alternates('T-1'), ['Aurora', 'Beach']);
    await press('Close');
    await isGone();
    assert.equal(await page().getByRole('list', { name: 'Chosen' }).count(), 0);
    await page().goto(job ?? '');
    await page()
      .getByRole('row', { name: /^T-1 Other categories .*Gifts › Small/s })
      .waitFor();
  });

  it('moves an item and makes it a variant, tells what somebody else has done meanwhile, and keeps what was inherited', async () => {
    await shop.bulkAttributes([{ action: 'UPDATE', name: 'Weight', validation: { inheritable: true } }]);
    await shop.bulk('update', [{ sku: 'T-1', attributes: { Weight: 'light' } }]);
    const parent = { sku: 'T-9', nodeName: 'Tents', attributes: { Title: 'Family', Weight: 'heavy' } };
    const child = { sku: 'T-2', nodeName: 'Tents', attributes: { Title: 'Small' } };
    assert.deepEqual((await shop.bulk('insert', [parent, child])).body.failed, []);
    await page().goto(`${PATH}/items/item?sku=T-2`);
    await person.button('Edit').click();
    await field('nodeId').getByRole('button', { name: 'Choose another category' }).click();
    await dialog().getByRole('row', { name: 'Maps', exact: true }).click();
    await press('Done');
    await field('nodeId').getByText('Maps').waitFor();
    await field('nodeId').getByRole('button', { name: 'As it was' }).click();
    await field('parentSku').getByRole('combobox').fill('T-');
    await page().getByRole('option', { name: 'T-9' }).click();
    await page().getByText('1 change in 1 item').waitFor();
    await write();
    assert.equal((await shop.item('T-2'))?.parentSku, 'T-9');
    await field('parentSku').getByRole('button', { name: 'Take away: T-9' }).click();
    await field('parentSku').getByText('Keep the values of the parent').click();
    await shop.bulk('update', [{ sku: 'T-2', parentSku: null }]);
    await shop.bulk('update', [{ sku: 'T-2', parentSku: 'T-1' }]);
    await person.button('See what would change').click();
    await dialog()
      .getByRole('row', { name: /^T-2 Variant of T-9 T-1 –/ })
      .waitFor();
    await person.assertOpenToAll('a parent that somebody else has changed');
    await press('Write mine');
    await press('Go on');
    await press('Write these changes');
    await page().getByText('1 item was changed').waitFor();
    await press('Close');
    await isGone();
    const { parentSku, attributes } = (await shop.item('T-2')) ?? {};
    assert.deepEqual([parentSku, attributes?.Weight], [null, 'light']);
    await field('channels').getByText('In all channels').click();
    await field('channels').getByRole('textbox').fill('4, x');
    await page().getByText('1 value is missing or not a number').waitFor();
    await field('channels').getByRole('textbox').fill('4, 1');
    await write();
    assert.deepEqual((await shop.item('T-2'))?.channels, [1, 4]);
  });

  it('creates a bundle, fills it, and says how many of each it has', async () => {
    await page().goto(`${PATH}/items`);
    await person.button('New item').click();
    await dialog().getByText('Bundle', { exact: true }).click();
    await dialog().getByLabel('SKU', { exact: true }).fill('SET-1');
    await dialog().getByRole('combobox', { name: 'Category' }).fill('Ten');
    await page().getByRole('option', { name: 'Tents', exact: true }).click();
    await press('Create');
    await page().getByRole('link', { name: 'Open it' }).click();
    await page().getByText('A bundle without items is a draft.').first().waitFor();
    await person.button('Edit').click();
    for (const sku of ['T-1', 'T-9']) {
      await field('bundleItems').getByRole('combobox', { name: 'Add an item' }).fill(sku);
      await page().getByRole('option', { name: sku }).click();
    }
    await field('bundleItems').getByLabel('How many of T-9').fill('2');
    await person.assertOpenToAll('what a bundle contains, as fields');
    await write();
    const quantities = async () => (await shop.item('SET-1'))?.bundleItems;
    assert.deepEqual(await quantities(), [
      { sku: 'T-1', quantity: 1 },
      { sku: 'T-9', quantity: 2 },
    ]);
    await field('bundleItems').getByRole('button', { name: 'Take out: T-1' }).click();
    await person.button('See what would change').click();
    await dialog()
      .getByRole('row', { name: /^SET-1 Contents of the bundle 1 × T-1.*2 × T-9/s })
      .waitFor();
    await press('Write these changes');
    await page().getByText('1 item was changed').waitFor();
    assert.deepEqual(await quantities(), [{ sku: 'T-9', quantity: 2 }]);
  });
});
