/** Declares that locks of any tables, at random times during all kinds of jobs, are given, and that all work ends. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { askForExport } from '../../support/http/exporting.js';
import { type Receiver, startReceiver } from '../../support/http/receiver.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { pick, seededRandom } from '../../support/models/random.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

interface Locks {
  /** Given back as soon as they are given. */
  readonly waiting: number;
  /** Held for a while: longer than a step waits beside its transaction, at most. */
  readonly holding: number;
}

const ROWS = 200;
const CHUNK_ROWS = 10;
/** Locks that are asked for at the same time, besides each other's tables. */
const AT_ONCE = 3;
const MOST_PAUSE_MS = 300;
const MOST_HELD_MS = 4_000;
/** How long a lock may wait, and work may take after the last lock has ended. */
const GIVEN_WITHIN_MS = 30_000;
const ENDED_WITHIN_MS = 10_000;
/** An attempt may fall into one lock after another. */
const DELIVERED_WITHIN_MS = 60_000;

export function runTableLockTrials({ waiting, holding }: Locks): void {
  let world: World;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    world = await startWorld({ workers: true, chunkRows: CHUNK_ROWS });
  });
  after(async () => {
    await world.stop();
    await receiver.stop();
  });

  it(`are given, ${waiting} that wait and ${holding} that are held, and all work ends`, async () => {
    const seed = Date.now() % 1_000_000;
    const random = seededRandom(seed);
    const shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ target: receiver.url }) });
    const tables = await world.db.raw<{ rows: { name: string }[] }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
    );
    const names = tables.rows.map(({ name }) => name);
    const stopped = new AbortController();
    const working = Object.values(WORK).map((work) => repeat((nth) => work(shop, nth, receiver), stopped.signal));
    // What fails is judged below.
    for (const work of working) work.catch(() => undefined);
    const holds = [...Array<boolean>(waiting).fill(false), ...Array<boolean>(holding).fill(true)];
    const longest = await lockAtRandom(world, names, holds, random);
    stopped.abort();
    const endedBy = delay(ENDED_WITHIN_MS, 'late', { ref: false });
    const ended = await Promise.race([Promise.all(working), endedBy]);
    assert.notEqual(ended, 'late', `seed ${seed}: work goes on ${ENDED_WITHIN_MS} ms after the last lock`);
    assert.ok(longest.ms < GIVEN_WITHIN_MS, `seed ${seed}: the lock of ${longest.name} waited for ${longest.ms} ms`);
    const open = await world.db('job').whereNull('completed_at').pluck('type');
    assert.deepEqual(open, [], `seed ${seed}: every job has ended`);
  });
}

/** Each asks for one job, or one delivery, and waits until it has ended as it should. */
type Work = (shop: Shop, nth: number, receiver: Receiver) => Promise<void>;

const WORK: Readonly<Record<string, Work>> = {
  'a file': (shop, nth) => imported(shop, `a ${nth}`, {}),
  'a file, all or nothing': (shop, nth) => imported(shop, `b ${nth}`, { onError: 'abort' }),
  'a dry run': (shop, nth) => imported(shop, `c ${nth}`, { validateOnly: true }),
  'a small request': async (shop, nth) => {
    const { status, body } = await shop.bulk('upsert', [
      { sku: 'small', nodeName: 'Disk', attributes: { Title: `${nth}` } },
    ]);
    assert.ok(status === 200 || status === 202, JSON.stringify(body));
    if (status === 202) await untilEnded(shop, body.jobId);
  },
  attributes: async (shop, nth) => {
    const { status, body } = await shop.bulkAttributes([{ name: `Title ${nth}`, type: 'TEXT' }]);
    assert.ok(status === 200 || status === 202, JSON.stringify(body));
    if (status === 202) await untilEnded(shop, body.jobId);
  },
  'an export': async (shop) => {
    const { status, body } = await askForExport(shop);
    assert.equal(status, 202, JSON.stringify(body));
    assert.equal((await untilEnded(shop, body.jobId)).status, 'COMPLETED');
  },
  'a deletion': async (shop) => {
    const { status, body } = await shop.post('/api-product/v1/product/bulk/delete', { skus: ['small'] });
    assert.ok(status === 200 || status === 202, JSON.stringify(body));
    if (status === 202) await untilEnded(shop, body.jobId);
  },
  'a webhook': async (shop, nth, receiver) => {
    const event = { source: 'OMS', event: 'ORDER_CREATED', payload: { id: nth } };
    const { status, text } = await shop.post('/api/v2/event', event, { headers: { 'tenant-key': shop.account } });
    assert.ok(status < 300, text);
    await until(`event ${nth} is received`, () => receiver.received.length >= nth, DELIVERED_WITHIN_MS);
  },
};

async function imported(shop: Shop, title: string, options: Readonly<Record<string, unknown>>): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, nth) => `${title[0]}-${nth},Disk,${title}\n`);
  const id = await shop.upload('items.csv', `SKU,Category Node,Title\n${rows.join('')}`, options);
  const job = await untilEnded(shop, id);
  assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
}

async function repeat(work: (nth: number) => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let nth = 1; !signal.aborted; nth++) await work(nth);
}

/** Asks for the locks, a few at a time. @returns the one that waited longest */
async function lockAtRandom(
  world: World,
  names: readonly string[],
  holds: readonly boolean[],
  random: () => number,
): Promise<{ name: string; ms: number }> {
  const due = holds.map((held) => ({ held, order: random() })).sort((one, other) => one.order - other.order);
  let longest = { name: '', ms: 0 };
  const lockNext = async (): Promise<void> => {
    for (let next = due.shift(); next !== undefined; next = due.shift()) {
      await delay(random() * MOST_PAUSE_MS);
      const name = pick(random, names);
      const ms = await lock(world, name, next.held ? random() * MOST_HELD_MS : 0);
      if (ms > longest.ms) longest = { name, ms };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lockNext));
  return longest;
}

/** @returns for how long it waited */
async function lock(world: World, name: string, heldMs: number): Promise<number> {
  const client = new pg.Client({ connectionString: world.services.config.databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const began = performance.now();
    await client.query(`SET statement_timeout = ${2 * GIVEN_WITHIN_MS}`);
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
    const ms = performance.now() - began;
    await delay(heldMs);
    await client.query('COMMIT');
    return ms;
  } finally {
    await client.end();
  }
}
