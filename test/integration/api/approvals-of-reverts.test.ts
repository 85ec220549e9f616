/** Reverts that wait for an approval, and the requests that the rule of a stage is about besides imports. */
import assert from 'node:assert/strict';
import { createToken } from '../../../src/domain/access/tokens.js';
import type { Answer } from '../../support/http/call-api.js';
import { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];
const WAIT = { prefer: 'wait=20' };
const ITEM = '/api-category/v1/category/item';
/** Creates two attributes, and assigns them to the category. */
const CREATING = {
  createMissing: { attributes: true, options: false, categories: false, assignments: true },
  missing: {
    attributes: [
      { name: 'Colour', type: 'TEXT' },
      { name: 'Size', type: 'TEXT' },
    ],
    options: [],
    categories: [],
    assignments: [{ category: 'Disk', attributes: ['Colour', 'Size'] }],
  },
};

describe('reverts that wait for an approval', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  /** The same account with another token. */
  let other: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 3 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { Disk: ['Title', 'Price'] },
    });
    other = await withScopes();
    await shop.bulk('insert', items({ a: '1', b: '2', c: '3', d: '4' }));
  });

  async function withScopes(scopes?: readonly string[]): Promise<Shop> {
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'other', scopes });
    return new Shop(world.api, shop.account, token, shop.siteId);
  }
  const items = (prices: Readonly<Record<string, string | null>>) =>
    Object.entries(prices).map(([sku, price]) => ({ sku, nodeName: 'Disk', attributes: { Price: price } }));
  const prices = () => shop.values('Price');
  const rule = (approval: object) => shop.ask('PATCH', '/site-settings', { body: { approval } });
  const approve = (id: string, by = other): Promise<Answer> =>
    by.post(`/jobs/${id}/actions/approve`, {}, { headers: WAIT });
  const changes = async (id: string): Promise<Body[]> => (await shop.ask('GET', `/jobs/${id}/changes`)).data;
  const shown = async (id: string) => (await changes(id)).map(({ sku, operation }) => `${sku} ${operation}`).sort();
  const codes = async (id: string) =>
    Object.fromEntries((await shop.errors(id)).map(({ key, code }) => [key, code] as const));

  /** @returns the id of a job that has written these prices */
  async function written(given: Readonly<Record<string, string | null>>): Promise<string> {
    const { body } = await shop.post('/api-product/v1/product/bulk/upsert', items(given));
    assert.equal((await shop.outcome(body.jobId)).failed, 0);
    return body.jobId;
  }
  /** Asks for a revert. @returns the id of its job, which waits for an approval */
  async function proposed(path: string, body: object = { requireApproval: true }, by = shop): Promise<string> {
    const answer = await by.post(path, body, { headers: WAIT });
    assert.deepEqual([answer.status, answer.body.status], [202, 'AWAITING_APPROVAL'], answer.text);
    assert.ok(Array.isArray(answer.body.revertOf), answer.text);
    return answer.body.jobId;
  }

  it('show what they would take back, and take it back when another token has approved it', async () => {
    const first = await written({ a: '10', f: '6' });
    const id = await proposed(`/jobs/${first}/actions/revert`);
    assert.deepEqual(await prices(), { a: '10', b: '2', c: '3', d: '4', f: '6' });
    assert.deepEqual(await shown(id), ['a UPDATED', 'f DELETED']);
    const { options } = await shop.ask('GET', `/jobs/${id}`);
    assert.deepEqual([options.validateOnly, options.requireApproval, options.revertOf], [false, true, [first]]);
    assert.equal((await approve(id, shop)).status, 403, 'its own token may not');
    const { body } = await approve(id);
    assert.deepEqual([body.status, await shop.errors(id)], ['COMPLETED', []]);
    assert.deepEqual(await prices(), { a: '1', b: '2', c: '3', d: '4' });
    assert.deepEqual(await shown(id), ['a UPDATED', 'f DELETED'], 'its changes are those that were made, once');
    const again = await proposed('/jobs/actions/revert', { jobIds: [id], requireApproval: true });
    assert.equal((await approve(again)).body.status, 'COMPLETED');
    assert.deepEqual(await prices(), { a: '10', b: '2', c: '3', d: '4', f: '6' });
  });

  it('are under the rule of the stage, and so are their retries', async () => {
    const first = await written({ a: '10', b: '20', c: '30' });
    await rule({ when: 'ALWAYS' });
    const id = await proposed(`/jobs/${first}/actions/revert`, {});
    await proposed('/jobs/actions/revert', { jobIds: [first] });
    assert.equal((await prices()).a, '10');
    await rule({ when: 'LARGE', items: 3 });
    const small = await shop.post(`/jobs/${first}/actions/revert`, {}, { headers: WAIT });
    assert.deepEqual([small.status, small.body.status], [200, 'COMPLETED'], small.text);
    assert.equal((await prices()).a, '1');
    await rule({ items: 2 });
    const again = await proposed(`/jobs/${small.body.id}/actions/revert`, {});
    assert.equal((await approve(id)).body.status, 'COMPLETED_PARTIALLY', 'all of it is taken back already');
    assert.equal((await approve(again)).body.status, 'COMPLETED', 'now there is something to take back again');
    await rule({ when: 'ALWAYS' });
    const retried = await shop.post(`/jobs/${id}/actions/retry`, {}, { headers: WAIT });
    assert.deepEqual([retried.status, retried.body.status], [202, 'AWAITING_APPROVAL'], retried.text);
  });

  it('take nothing back that they have not shown, and say why', async () => {
    const first = await written({ a: '10', b: '20', c: '30', f: '6', g: '7' });
    const variant = { sku: 'v', nodeName: 'Disk', parentSku: 'f' };
    await shop.bulk('insert', [variant]);
    const later = await written({ c: '33' });
    const id = await proposed(`/jobs/${first}/actions/revert`);
    assert.deepEqual(await shown(id), ['a UPDATED', 'b UPDATED', 'g DELETED']);
    assert.deepEqual(await codes(id), { c: 'CHANGED_SINCE', f: 'ITEM_IN_USE' });
    // One that would be taken back is changed, and nothing keeps those that would not any more.
    await written({ a: '11' });
    await shop.post('/api-product/v1/product/bulk/delete', { skus: ['v'] }, { headers: WAIT });
    assert.equal((await shop.post(`/jobs/${later}/actions/revert`, {}, { headers: WAIT })).body.status, 'COMPLETED');
    assert.equal((await approve(id)).body.status, 'COMPLETED_PARTIALLY');
    assert.deepEqual(await codes(id), { a: 'CHANGED_SINCE', c: 'CHANGED_SINCE_PREVIEW', f: 'CHANGED_SINCE_PREVIEW' });
    assert.deepEqual(await prices(), { a: '11', b: '2', c: '30', d: '4', f: '6' });
  });

  it('of definitions take back those that they have shown, and no other', async () => {
    const csv = 'SKU,Category Node,Colour,Size\na,Disk,red,L\n';
    const { id: first } = await shop.importFile('new.csv', csv, CREATING);
    await shop.bulk('upsert', [{ sku: 'b', attributes: { Colour: 'blue' } }]);
    const names = async () =>
      (await shop.ask('GET', '/api-product/v1/product/attribute')).data.map(({ name }: Body) => name).sort();
    assert.deepEqual(await names(), ['Colour', 'Price', 'Size', 'Title']);
    const id = await proposed(`/jobs/${first}/actions/revert`);
    assert.deepEqual(await names(), ['Colour', 'Price', 'Size', 'Title']);
    assert.equal((await codes(id))['attribute Colour'], 'ATTRIBUTE_IN_USE');
    await shop.bulk('upsert', [{ sku: 'b', attributes: { Colour: null } }]);
    assert.equal((await approve(id)).body.status, 'COMPLETED_PARTIALLY');
    assert.deepEqual(await names(), ['Colour', 'Price', 'Title']);
    assert.deepEqual(await codes(id), {
      'attribute Colour': 'CHANGED_SINCE_PREVIEW',
      'assignment of Colour to Disk': 'CHANGED_SINCE_PREVIEW',
    });
    assert.equal((await shop.item('a'))?.attributes.Colour, undefined);
  });

  it('may be proposed by a token that may not write, which may look at them by dry runs too', async () => {
    const first = await written({ a: '10' });
    const proposing = await withScopes(['catalog:read', 'catalog:propose']);
    const path = `/jobs/${first}/actions/revert`;
    assert.equal((await proposing.post(path, {})).status, 403);
    assert.equal((await proposing.post('/jobs/actions/revert', { jobIds: [first] })).status, 403);
    const dry = await proposing.post(path, { validateOnly: true }, { headers: WAIT });
    assert.deepEqual([dry.status, dry.body.status], [200, 'COMPLETED'], dry.text);
    assert.deepEqual(await shown(dry.body.id), ['a UPDATED']);
    await rule({ when: 'LARGE', items: 100 });
    assert.equal((await proposing.post(path, {})).status, 403, 'a small one would be applied by itself');
    const id = await proposed(path, { requireApproval: true }, proposing);
    assert.equal((await prices()).a, '10');
    assert.equal((await approve(id)).body.status, 'COMPLETED');
    assert.equal((await prices()).a, '1');
  });

  it('are not got round by requests that change items without a job: where such a change waits, they are refused', async () => {
    const body = { name: 'Gifts', type: 'ALTERNATE' };
    const { nodeId } = await shop.ask('POST', '/api-category/v1/category', { body });
    const put = (...skus: string[]) => shop.post(ITEM, { nodeId, items: skus.map((sku) => ({ sku })) });
    await rule({ when: 'ALWAYS' });
    const refused = await put('a');
    assert.deepEqual([refused.status, refused.body.code], [409, 'APPROVAL_NEEDED'], refused.text);
    assert.match(refused.body.message, /1 item waits for an approval.*alternateCategories.*bulk\/update/);
    await rule({ when: 'LARGE', items: 2 });
    assert.equal((await put('a', 'b', 'c')).status, 409);
    assert.equal((await put('a', 'b', 'b')).status, 200);
    await rule({ items: null, percent: 60 });
    assert.equal((await put('b', 'c', 'd')).status, 409);
    await rule({ when: 'ALWAYS', fileTypes: ['ITEM_IMPORT'] });
    assert.equal((await put('b', 'c', 'd')).status, 200, 'the rule is about files only');
  });
});
