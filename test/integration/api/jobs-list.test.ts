import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type FileWorld, startFileWorld } from '../../support/worlds/file-world.js';

describe('jobs', () => {
  let world: FileWorld;
  before(async () => {
    world = await startFileWorld();
  });
  after(() => world.api.stop());

  it('are listed newest first, by ids, type and status, a page at a time', async () => {
    const headers = world.api.headers(await world.api.newAccount());
    const files = [];
    for (const fileType of ['ITEM_IMPORT', 'ATTRIBUTE_IMPORT', 'ITEM_IMPORT']) {
      files.unshift(await world.announce({ fileType }, headers));
      // Times are shown in milliseconds.
      await delay(2);
    }
    const [third, second, first] = files;
    assert.ok(first && second && third);
    const list = async (query: string, date?: string) => {
      const site = JSON.stringify({ ...JSON.parse(headers['x-site-context'] ?? ''), ...(date && { date }) });
      const response = await world.get(`/jobs/product${query}`, { ...headers, 'x-site-context': site });
      assert.equal(response.status, 200);
      const page = (await response.json()) as { data: { id: string }[]; count: number; offset: number; limit: number };
      return { ...page, data: page.data.map(({ id }) => id) };
    };
    const all = [third.jobId, second.jobId, first.jobId];
    assert.deepEqual(await list(''), { data: all, offset: 0, limit: 10, count: 3 });
    assert.deepEqual(await list('?offset=1&limit=1'), { data: [second.jobId], offset: 1, limit: 1, count: 3 });
    assert.deepEqual((await list(`?ids=${first.jobId},${third.jobId},none`)).data, [third.jobId, first.jobId]);
    assert.deepEqual((await list('?type=ATTRIBUTE_IMPORT')).data, [second.jobId]);

    for (const path of ['/jobs/product', '/files/product']) {
      const refused = await world.get(`${path}?type=ITEM_IMPORT,BOGUS`, headers);
      assert.equal(refused.status, 400);
      const { errors } = (await refused.json()) as { errors: { path: string; message: string }[] };
      assert.equal(errors[0]?.path, 'type');
      assert.match(errors[0]?.message ?? '', /must be one of .*ITEM_EXPORT.*, not the text "BOGUS"/);
    }

    await world.put(second.location, 'Name\nA\n');
    assert.deepEqual((await list('?status=SCHEDULED')).data, [second.jobId]);
    // A date in the site context narrows exports and lists of the catalog only.
    assert.deepEqual((await list('', '2020-01-01T00:00:00Z')).data, all);
  });
});
