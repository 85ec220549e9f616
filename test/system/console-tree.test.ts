/** The trees of a stage with 20,000 categories in a real Chromium: only what is open is loaded, and the search finds any of them. */
import assert from 'node:assert/strict';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const BRANCHES = 20;
const LEAVES = 999;
/** All that the page may ask for until one branch is open, in bytes: the whole tree is above two million. */
const MOST_BYTES = 60_000;

describe('20,000 categories in the console', function () {
  this.timeout(180_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let person: ConsolePerson;
  let bytes = 0;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld();
    shop = await world.newShop();
    await shop.category('Cables');
    const { site_id: siteId } = await world.db('category').where({ name: 'Cables' }).first();
    await layCategories(world, siteId);
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(20_000);
    await person.logIn(shop.token);
    person.page.on('response', async (response) => {
      if (/api-category/.test(response.url())) bytes += (await response.body().catch(() => '')).length;
    });
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const branch = (name: string) => person.page.getByRole('row', { name, exact: true });
  const rows = () => person.page.getByRole('treegrid').getByRole('row').count();

  it('opens with one level, and loads the next one when somebody opens it', async () => {
    await person.page.getByRole('link', { name: 'Categories', exact: true }).click();
    await branch('Branch 17').waitFor();
    assert.equal(await rows(), BRANCHES + 2);
    await branch('Branch 17').getByRole('button', { name: 'Open or close' }).click();
    await branch('Leaf 17.100').waitFor();
    assert.equal(await branch('Leaf 17.101').count(), 0);
    await person.assertOpenToAll('an open branch of a large tree');
    assert.equal(await branch('Branch 17').getByText(String(LEAVES), { exact: true }).count(), 1);
    await branch(`Show more: ${LEAVES - 100} are left`).click();
    await branch('Leaf 17.200').waitFor();
    await branch('Leaf 17.200').click();
    await person.page.getByRole('heading', { name: 'Leaf 17.200' }).waitFor();
    await person.page.getByText('Main tree › Branch 17 › Leaf 17.200').waitFor();
    await until('what was loaded is counted', () => bytes > 0, 10_000);
    assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
  });

  it('reaches further ones by keyboard', async () => {
    await person.page.keyboard.press('End');
    await branch(`Branch ${BRANCHES}`).waitFor();
    await branch('Leaf 17.199').click();
    for (let presses = 0; presses < 2; presses++) await person.page.keyboard.press('ArrowDown');
    await branch('Leaf 17.300').waitFor();
  });

  it('finds any by its name, and opens the way to it, which an address does as well', async () => {
    await person.page.getByRole('combobox', { name: 'Find a category' }).fill('Leaf 12.331');
    await person.page.getByRole('option', { name: 'Branch 12 › Leaf 12.331' }).click();
    await person.page.getByRole('heading', { name: 'Leaf 12.331' }).waitFor();
    await branch('Leaf 12.331').waitFor();
    assert.equal(await branch('Branch 12').getAttribute('aria-expanded'), 'true');
    assert.equal(await branch('Leaf 12.331').getAttribute('aria-selected'), 'true');
    await person.page.reload();
    await branch('Leaf 12.331').waitFor();
    assert.equal(await branch('Leaf 17.1').count(), 0);
    assert.equal(await branch('Branch 17').count(), 1);
  });

  it('says what moves with a branch that is not open', async () => {
    await person.page.getByRole('combobox', { name: 'Find a category' }).fill('Branch 20');
    await person.page.getByRole('option', { name: 'Branch 20', exact: true }).click();
    await person.page.getByRole('heading', { name: 'Branch 20' }).waitFor();
    await person.page.getByRole('combobox', { name: 'Move to' }).fill('Cables');
    await person.page.getByRole('option', { name: 'Cables', exact: true }).click();
    await person.page.getByText(`${LEAVES} categories below it move too.`).waitFor();
    await person.button('Move').click();
    await person.holdUndo();
    await person.page.getByText('“Branch 20” is below “Cables” now').waitFor();
    await branch('Cables').getByText('1', { exact: true }).waitFor();
    await undoWithLateLevel();
    await person.button('Delete').click();
    await person.page.getByText(`${LEAVES} categories are below it: move or delete them first.`).waitFor();
    await person.page.getByText(`and ${LEAVES - 5} more`).waitFor();
    await person.assertOpenToAll('the question before a branch is deleted');
    await person.page.getByRole('dialog').getByRole('link', { name: 'Leaf 20.2' }).click();
    await person.page.getByRole('heading', { name: 'Leaf 20.2' }).waitFor();
    const { category } = await shop.ask('GET', `/api-category/v1/category/children?nodeId=${100 + BRANCHES}`);
    assert.deepEqual([category.below, category.breadcrumbs.length], [LEAVES, 2]);
  });

  /** Takes the move back while the level that it leaves is loaded late: for that time two levels have the branch. */
  async function undoWithLateLevel(): Promise<void> {
    const { page } = person;
    const levelOf = async (name: string) => {
      const { node_id: nodeId } = await world.db('category').where({ name }).first('node_id');
      return ({ pathname, searchParams }: URL) =>
        pathname.endsWith('/category/children') &&
        searchParams.get('nodeId') === String(nodeId) &&
        searchParams.get('limit') !== '1';
    };
    const left = await levelOf('Cables');
    const { name: root } = await world.db('category').where({ tree: 'PRIMARY' }).whereNull('parent_id').first('name');
    const joined = await levelOf(root);
    const goOn: (() => void)[] = [];
    await page.route(left, (route) => new Promise<void>((resolve) => goOn.push(resolve)).then(() => route.continue()));
    const loaded = page.waitForResponse((response) => joined(new URL(response.url())));
    await person.button('Undo').click();
    await page.getByText('“Branch 20” is below “Cables” now').waitFor({ state: 'detached' });
    await (await loaded).finished();
    await until('the level that it leaves is asked for', () => goOn.length > 0, 20_000);
    await page.evaluate('new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)))');
    await branch('Branch 20').waitFor();
    for (const release of goOn) release();
    await page.unroute(left);
  }
});

/** Branches with leaves below them, beside what is there. */
async function layCategories({ db }: World, siteId: number): Promise<void> {
  const columns = 'id, site_id, node_id, parent_id, tree, name, name_key, path, depth';
  await db.raw(
    `INSERT INTO category (${columns})
     SELECT 'branch' || b, :siteId, 100 + b, root.id, 'PRIMARY', 'Branch ' || b, 'branch ' || b, root.path || (100 + b) || '/', 2
     FROM category AS root, generate_series(1, ${BRANCHES}) AS b
     WHERE root.site_id = :siteId AND root.parent_id IS NULL AND root.tree = 'PRIMARY'`,
    { siteId },
  );
  await db.raw(
    `INSERT INTO category (${columns})
     SELECT 'leaf' || b || '.' || n, :siteId, 1000 + b * 1000 + n, 'branch' || b, 'PRIMARY', 'Leaf ' || b || '.' || n,
       'leaf ' || b || '.' || n, branch.path || (1000 + b * 1000 + n) || '/', 3
     FROM generate_series(1, ${BRANCHES}) AS b, generate_series(1, ${LEAVES}) AS n, category AS branch
     WHERE branch.id = 'branch' || b`,
    { siteId },
  );
  await db.raw('ANALYZE category');
}
