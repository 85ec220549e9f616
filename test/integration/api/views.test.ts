/** Saved views over HTTP: of their owner, or of everybody, in one stage. */
import assert from 'node:assert/strict';
import { createToken } from '../../../src/domain/access/tokens.js';
import { housekeep } from '../../../src/workers/maintenance/housekeep.js';
import { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const VIEW = { kind: 'ITEMS', name: 'Drafts', content: { status: 'DRAFT', show: ['Title', '@status'] } };

describe('saved views', () => {
  let world: World;
  let shop: Shop;
  let reader: Shop;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
    reader = await personOf(['catalog:read'], 'Robin');
  });

  async function personOf(scopes: readonly string[], name: string): Promise<Shop> {
    const { token } = await createToken(world.db, { accountId: shop.account, name, scopes: [...scopes] });
    return new Shop(world.api, shop.account, token, shop.siteId);
  }
  const save = (who: Shop, over: object = {}) => who.call('POST', '/views', { body: { ...VIEW, ...over } });
  const namesOf = async (who: Shop, query = '') =>
    (await who.ask('GET', `/views${query}`)).data.map(({ name }: { name: string }) => name);

  it('are saved by whoever may read, and seen by nobody else', async () => {
    const { status, body } = await save(reader);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.content, body.version, body.shared, body.own], [VIEW.content, 1, false, true]);
    assert.equal(body.ownerName, 'Robin');
    assert.deepEqual(await reader.ask('GET', `/views/${body.id}`), body);
    assert.deepEqual([await namesOf(reader), await namesOf(shop)], [['Drafts'], []]);
    assert.equal((await shop.get(`/views/${body.id}`)).status, 404);
    assert.equal((await shop.call('DELETE', `/views/${body.id}`)).status, 404);
    assert.equal((await reader.get(`/views/${body.id}`, { context: { stage: 'staging' } })).status, 404);
  });

  it('have one name each, and are listed by kind', async () => {
    await save(reader);
    const again = await save(reader, { name: 'DRAFTS' });
    assert.deepEqual([again.status, again.body.code], [409, 'VIEW_EXISTS']);
    assert.equal((await save(reader, { kind: 'EXPORT' })).status, 200);
    assert.equal((await save(shop)).status, 200, 'of somebody else');
    await save(reader, { name: 'All' });
    assert.deepEqual(await namesOf(reader), ['All', 'Drafts', 'Drafts']);
    assert.deepEqual(await namesOf(reader, '?kind=EXPORT'), ['Drafts']);
  });

  it('are shared by whoever may write, and changed by all of them', async () => {
    const refused = await save(reader, { shared: true });
    assert.deepEqual([refused.status, /catalog:write/.test(refused.body.message)], [403, true]);
    const { body: made } = await save(shop, { shared: true });
    const seen = await reader.ask('GET', `/views/${made.id}`);
    assert.deepEqual([seen.own, seen.shared], [false, true]);
    const changed = { name: 'All drafts', content: {}, shared: true };
    const put = (who: Shop, body: object) => who.call('PUT', `/views/${made.id}`, { body });
    assert.equal((await put(reader, changed)).status, 403);
    assert.equal((await reader.call('DELETE', `/views/${made.id}`)).status, 403);
    const editor = await personOf(['catalog:read', 'catalog:write'], 'Sam');
    assert.equal((await put(editor, changed)).body.version, 2);
    assert.equal((await put(editor, { ...changed, shared: false })).status, 403, 'it would be gone for its owner');
    assert.equal((await put(shop, { ...changed, shared: false })).body.shared, false);
    assert.deepEqual(await namesOf(editor), []);
  });

  it('are not changed by who has read an older version', async () => {
    const { body: made } = await save(shop);
    const put = (name: string) => shop.call('PUT', `/views/${made.id}`, { body: { name, content: {}, version: 1 } });
    const answers = await Promise.all([put('one'), put('two')]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    const late = answers.find(({ status }) => status === 409);
    assert.equal(late?.body.code, 'VIEW_CHANGED');
    assert.match(late?.body.message, /you sent version 1, and its newest is 2/);
  });

  it('have limits of number and size, which answers name', async () => {
    const large = await save(reader, { content: { q: 'ä'.repeat(17_000) } });
    assert.equal(large.status, 400);
    assert.match(large.body.message, /content: has 3\d{4} bytes; at most 32768/);
    for (let n = 0; n < 200; n++) assert.equal((await save(reader, { name: `View ${n}` })).status, 200);
    const { status, body } = await save(reader);
    assert.deepEqual([status, body.code], [409, 'VIEW_LIMIT']);
    assert.equal((await save(shop)).status, 200);
  });

  it('are in the audit log', async () => {
    const { body: made } = await save(shop, { shared: true });
    await shop.ask('PUT', `/views/${made.id}`, { body: { name: 'x', content: {}, shared: true } });
    await shop.ask('DELETE', `/views/${made.id}`);
    const { data } = await shop.ask('GET', '/api/v2/audit?limit=10');
    const acts = (data as { action: string; target: string }[]).filter(({ action }) => action.startsWith('VIEW_'));
    assert.deepEqual(
      acts.map(({ action, target }) => [action, target]),
      [
        ['VIEW_DELETED', `view/${made.id}/2`],
        ['VIEW_UPDATED', `view/${made.id}/2`],
        ['VIEW_CREATED', `view/${made.id}/1`],
      ],
    );
  });

  it('go with their owner, but for those that are shared', async () => {
    const editor = await personOf(['catalog:read', 'catalog:write'], 'Sam');
    await save(editor);
    await save(editor, { name: 'Shared', shared: true });
    await save(shop);
    await world.db('access_token').where({ account_id: shop.account, name: 'Sam' }).delete();
    await housekeep(world.services);
    const rows = await world.db('saved_view').where({ site_id: shop.siteId }).orderBy('name').pluck('name');
    assert.deepEqual(rows, ['Drafts', 'Shared']);
    const { data } = await shop.ask('GET', '/views');
    assert.deepEqual(
      data.map(({ name, ownerName }: { name: string; ownerName: string | null }) => [name, ownerName === null]),
      [
        ['Drafts', false],
        ['Shared', true],
      ],
    );
  });
});
