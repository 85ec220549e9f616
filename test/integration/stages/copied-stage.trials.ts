/** A stage of many items is exported and imported elsewhere; the copy is compared, and one price is carried over and taken back. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Answer } from '../../support/http/call-api.js';
import type { CallOptions, Shop } from '../../support/http/shop.js';
import { contentOf, exportStage, type StageArchive } from '../../support/http/stages.js';
import type { World } from '../../support/worlds/world.js';

const COPY = { stage: 'copy' };
const A_STATEMENT = 5_000;
const MIB = 1024 * 1024;

/** @param most bytes by which the process may grow in one of the steps @param report gets how long each took, and by how much the process grew */
export async function copyCompareAndPromote(
  world: World,
  { items, attributes, most }: { readonly items: number; readonly attributes: number; readonly most: number },
  report: (line: string) => void = () => undefined,
): Promise<void> {
  const step = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
    const { result, growth, seconds } = await measured(run);
    report(`${what}: ${seconds.toFixed(1)} s, at most ${Math.round(growth / MIB)} MiB more`);
    assert.ok(growth < most, `${what}: the process grew by ${Math.round(growth / MIB)} MiB`);
    return result;
  };
  const shop = await world.newShop();
  const names = Array.from({ length: attributes - 1 }, (_, index) => `Attribute ${index}`);
  await shop.define({
    attributes: [...names, { name: 'Price', type: 'DECIMAL' }],
    categories: { Disk: [...names, 'Price'] },
  });
  await fill(world, shop.siteId, items);
  const ended = async (path: string, body: object) => {
    const { body: begun } = await shop.post(path, body);
    assert.ok('jobId' in begun, JSON.stringify(begun));
    const job = await patiently(shop, begun.jobId);
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    return job;
  };
  const compare = () => ended('/jobs/site/actions/compare', { with: COPY.stage });
  const archive = await step('export', async () => {
    const { outputFiles } = await ended('/jobs/site/actions/export', {});
    return (await shop.download(outputFiles[0])).bytes;
  });
  await step('import', async () => {
    const jobId = await shop.upload('stage.zip', archive, {}, { type: 'SITE_IMPORT', context: COPY });
    const job = await patiently(shop, jobId, COPY);
    assert.deepEqual([job.status, job.progressTracker.createdCount], ['COMPLETED', items], JSON.stringify(job));
  });
  const equal = await step('compare equal stages', compare);
  assert.equal(equal.progressTracker.totalCount, 0);
  const sku = 'sku-777';
  const row = { sku, attributes: { Price: '999.5' } };
  const changed = await shop.call('POST', '/api-product/v1/product/bulk/upsert', {
    ...{ body: [row], context: COPY, headers: { prefer: 'wait=25' } },
  });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  const found = await step('compare with one price changed', compare);
  const { data } = await shop.ask('GET', `/jobs/${found.id}/changes`);
  const shown = data.map(({ sku: one, operation, attributes: values, fields }: Record<string, unknown>) => {
    return { one, operation, values, fields };
  });
  const values = { Price: { before: '777', after: '999.5' } };
  assert.deepEqual(shown, [{ one: sku, operation: 'UPDATED', values, fields: {} }]);
  const before = digestOf(await exportStage(shop));
  const promoted = await step('promote it', () =>
    ended('/jobs/site/actions/promote', { compareJobId: found.id, definitions: 'all' }),
  );
  assert.equal(promoted.progressTracker.updatedCount, 1);
  assert.equal((await shop.item(sku))?.attributes.Price, '999.5');
  assert.equal((await step('compare again', compare)).progressTracker.totalCount, 0);
  await step('revert it', () => ended(`/jobs/${promoted.id}/actions/revert`, {}));
  assert.equal((await shop.item(sku))?.attributes.Price, '777');
  const after = await exportStage(shop);
  assert.deepEqual(digestOf(after), before, 'all is as it was, but for the times');
  assert.deepEqual([...after.files.keys()].sort(), [...(await exportStage(shop, COPY)).files.keys()].sort());
  await world.db.raw(
    `UPDATE item SET attributes = attributes || (
       SELECT jsonb_object_agg(id, 'new') FROM attribute WHERE site_id = item.site_id AND name = 'Attribute 1')
     WHERE site_id = (SELECT site_id FROM job WHERE id = :id) AND sku LIKE 'sku-%'`,
    { id: promoted.id },
  );
  const all = await step('compare with all items changed', compare);
  assert.equal(all.progressTracker.totalCount, items);
  const whole = await step('promote all of them', () => ended('/jobs/site/actions/promote', { compareJobId: all.id }));
  assert.equal(whole.progressTracker.updatedCount, items);
}

/** The digest of each file, of the manifest without its time and cursor: two archives of this size would take much memory. */
function digestOf(archive: StageArchive): Readonly<Record<string, string>> {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const entries = Object.entries(contentOf(archive));
  return Object.fromEntries(
    entries.map(([name, content]) => [name, sha256(typeof content === 'string' ? content : JSON.stringify(content))]),
  );
}

/** As `settled`, for as long as a job of many items takes on a machine that has other things to do. */
async function patiently(shop: Shop, jobId: string, context?: CallOptions['context']): Promise<Answer['body']> {
  for (let tries = 0; tries < 60; tries++) {
    const options = { headers: { prefer: 'wait=25' }, ...(context ? { context } : {}) };
    const job = await shop.ask('GET', `/jobs/${jobId}`, options);
    if (job.completedAt !== null) return job;
  }
  return assert.fail(`job ${jobId} does not end`);
}

async function fill({ db }: World, siteId: number, items: number): Promise<void> {
  const { node_id: nodeId } = await db('category').where({ site_id: siteId, name: 'Disk' }).first('node_id');
  const all: { id: string; name: string }[] = await db('attribute').where({ site_id: siteId }).select('id', 'name');
  const members = all.map(
    ({ id, name }) => `'${id}', ${name === 'Price' ? 'i' : `'a value of ' || i || ' ' || md5(i || '${id}')`}`,
  );
  for (let first = 1; first <= items; first += A_STATEMENT) {
    await db.raw(
      `INSERT INTO item (site_id, sku, type, status, node_id, attributes)
       SELECT ?, 'sku-' || i, 'I', 'L', ?, jsonb_build_object(${members.join(', ')}) FROM generate_series(?::integer, ?) AS i`,
      [siteId, nodeId, first, Math.min(items, first + A_STATEMENT - 1)],
    );
  }
}

/** How much the memory of this process grew at most while something was done, and how long it took. */
async function measured<T>(
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly growth: number; readonly seconds: number }> {
  global.gc?.();
  const before = process.memoryUsage().rss;
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss);
  }, 20);
  const began = performance.now();
  try {
    const result = await run();
    return { result, growth: highest - before, seconds: (performance.now() - began) / 1000 };
  } finally {
    clearInterval(timer);
  }
}
