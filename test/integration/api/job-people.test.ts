/** Who has sent a job, and who has approved or rejected it: by name, as the change log has them by their token. */
import assert from 'node:assert/strict';
import { createToken } from '../../../src/domain/access/tokens.js';
import { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WAIT = { prefer: 'wait=20' };

describe('the people of a job', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let kim: Shop;
  let kimId: string;
  let alex: Shop;
  let alexId: string;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    const named = async (name: string): Promise<[Shop, string]> => {
      const { id, token } = await createToken(world.db, { accountId: shop.account, name });
      return [new Shop(world.api, shop.account, token, shop.siteId), id];
    };
    [kim, kimId] = await named('Kim <b>');
    [alex, alexId] = await named('Alex');
  });
  after(() => world.stop());

  const rows = (sku: string) => [{ sku, nodeName: 'Disk' }];
  const write = async (by: Shop, sku: string, query = ''): Promise<string> => {
    const path = `/api-product/v1/product/bulk/upsert${query}`;
    const { status, body, text } = await by.post(path, rows(sku));
    assert.equal(status, 202, text);
    await by.call('GET', `/jobs/${body.jobId}`, { headers: WAIT });
    return body.jobId;
  };
  const read = (id: string) => shop.ask('GET', `/jobs/${id}`);
  const listed = async (query: string): Promise<string[]> =>
    (await shop.ask('GET', `/jobs/product?limit=100${query}`)).data.map(({ id }: { id: string }) => id);

  it('says who has sent a request or a file, when it is read and when it is listed, and lists those of one', async () => {
    const mine = await write(kim, 'a');
    const other = await write(alex, 'b');
    const file = await kim.upload('items.csv', 'SKU,Category Node\nc,Disk\n');
    await kim.outcome(file);
    const submittedBy = { actor: `token:${kimId}`, name: 'Kim <b>' };
    for (const id of [mine, file]) {
      const job = await read(id);
      assert.deepEqual([job.submittedBy, job.decision], [submittedBy, null]);
    }
    const { data } = await shop.ask('GET', `/jobs/product?ids=${mine}`);
    assert.deepEqual(data[0].submittedBy, submittedBy);
    assert.deepEqual(await listed(`&submittedBy=token:${kimId}`), [file, mine]);
    assert.deepEqual(await listed(`&submittedBy=token:${alexId}`), [other]);
    assert.deepEqual(await listed('&submittedBy=token:nobody'), []);
    const [change] = (await shop.ask('GET', `/jobs/${mine}/changes`)).data;
    assert.equal(change.actor, submittedBy.actor, 'the change log says the same');
  });

  it('says who has approved or rejected it, when and why', async () => {
    const good = await write(kim, 'd', '?requireApproval=true');
    const bad = await write(kim, 'e', '?requireApproval=true');
    assert.equal((await read(good)).decision, null);
    await alex.post(`/jobs/${good}/actions/approve`, { note: 'as agreed' }, { headers: WAIT });
    await alex.post(`/jobs/${bad}/actions/reject`, { note: 'misspelt' });
    const by = { actor: `token:${alexId}`, name: 'Alex' };
    for (const [id, approved, note, status] of [
      [good, true, 'as agreed', 'COMPLETED'],
      [bad, false, 'misspelt', 'REJECTED'],
    ] as const) {
      const job = await read(id);
      const { at, ...decision } = job.decision;
      assert.deepEqual([job.status, decision], [status, { approved, by, note }]);
      assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
      assert.equal(job.submittedBy.name, 'Kim <b>');
    }
  });

  it('says null of jobs from before it was recorded, and no name of a token that is gone or of another account', async () => {
    const id = await write(shop, 'f');
    const set = async (actor: string | null) => {
      await world.db('job').where({ id }).update({ actor });
      return (await read(id)).submittedBy;
    };
    assert.equal(await set(null), null);
    assert.deepEqual(await set('token:0123456789abcdef01234567'), {
      actor: 'token:0123456789abcdef01234567',
      name: null,
    });
    const { account } = await world.newShop();
    const foreign = await createToken(world.db, { accountId: account, name: 'of another account' });
    assert.deepEqual(await set(`token:${foreign.id}`), { actor: `token:${foreign.id}`, name: null });
  });
});
