/** Items, attributes, categories and assignments in a real Chromium: created, deleted after a preview, and taken back. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
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
    await page().getByLabel('Name of the first category').fill('Tents');
    await person.button('Create').click();
    await branch('Tents').click();
    await page()
      .getByRole('link', { name: /There are no attributes to assign/ })
      .click();
    await page().getByText('There are no attributes yet').waitFor();
    for (const name of ['Title', 'Weight']) {
      await person.button('New attribute').click();
      await dialog().getByLabel('Name', { exact: true }).fill(name);
      await press('Create');
      await page().getByText('It is written').waitFor();
      await press('Close');
      await isGone();
    }
    assert.deepEqual((await attributeNames()).sort(), ['Title', 'Weight']);
  });

  it('assigns attributes to a category as one job each, makes one mandatory, and takes that back', async () => {
    await page().goto(`${PATH}/categories`);
    await branch('Tents').click();
    await page().getByText('It has no attributes.').waitFor();
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
    assert.equal(rows.length, 5, `${JSON.stringify(rows)}: one job for each change and for the undo`);
  });

  it('creates an item by keyboard alone, says what the API says, and takes it back', async () => {
    await page().goto(`${PATH}/items`);
    await page().getByText('There are no items yet').waitFor();
    await person.button('New item').focus();
    await page().keyboard.press('Enter');
    await dialog().getByLabel('SKU', { exact: true }).focus();
    await page().keyboard.type('T-1');
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
    await page().getByText('“Maps” is deleted').waitFor();
    await branch('Maps').waitFor({ state: 'detached' });
    await person.assertOpenToAll('a category that is deleted');
    await person.button('Undo').click();
    await branch('Maps').waitFor();
    assert.deepEqual(await assigned('Maps'), [['Title', false]]);
  });

  it('shows what a job changes of definitions before it does so and afterwards, a line for each property', async () => {
    const rows = 'Attribute Title,Type of Attribute,Value 1,Value 2\nColour,LOV,red,blue\nTitle,SHORT TEXT,,\n';
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
        .getByRole('row', { name: /^Colour/ })
        .allInnerTexts();
      assert.deepEqual(
        lines.map((line) => line.split('\t').slice(2)),
        [
          ['Type', '–', 'One of several options'],
          ['Type of the options', '–', 'Text'],
          ['Options', '–', 'red, blue'],
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
});
