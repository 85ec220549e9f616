/** What is asked of each form of Redis: work that was accepted is done once, whatever happens to the servers. */
import assert from 'node:assert/strict';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ENDED_MS = 60_000;
const ROWS = 10;

/** A world whose lost queue entries are found within a second. */
export function startWorldOn(redisUrl: string, environment: Readonly<Record<string, string>> = {}): Promise<World> {
  const shortly = { RECONCILE_GRACE_MS: '500', WORKER_LOCK_MS: '2000', WORKER_STALLED_MS: '500' };
  return startWorld({ redisUrl, workers: true, environment: { ...shortly, ...environment } });
}

/**
 * Sends requests one after the other, while `happens` runs and once more afterwards, and waits until all are done.
 * @param happens what befalls Redis meanwhile
 */
export async function workThrough(world: World, happens: () => Promise<void>): Promise<void> {
  const shop = await world.newShop();
  await shop.define({ attributes: ['Title'], categories: { Boats: ['Title'] } });
  const before = Number((await world.db('item').count({ count: '*' }))[0]?.count);
  let sent = 0;
  const send = async () => {
    const rows = Array.from({ length: ROWS }, (_, n) => ({ sku: `${shop.account}-${sent}-${n}`, nodeName: 'Boats' }));
    const { status } = await shop.bulk('insert', rows, { headers: { prefer: 'wait=0' } });
    assert.ok(status === 200 || status === 202, `answered ${status}`);
    sent++;
  };
  await send();
  let isOver = false;
  const over = happens().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await send();
    await new Promise((resolve) => setImmediate(resolve));
    const open = async () => Number((await world.db('job').whereNull('completed_at').count({ count: '*' }))[0]?.count);
    await until('there is room for more', async () => isOver || (await open()) < 20, ENDED_MS);
  }
  await over;
  await send();
  const isDone = async () => (await world.db('job').whereNull('completed_at').first()) === undefined;
  await until('all jobs have ended', isDone, ENDED_MS);
  const unlike: unknown[] = await world.db('job').whereNot({ status: 'COMPLETED' }).select('status', 'reason');
  assert.deepEqual(unlike, []);
  const after = Number((await world.db('item').count({ count: '*' }))[0]?.count);
  assert.equal(after - before, sent * ROWS);
}
