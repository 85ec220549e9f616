/** The limits of endpoints and hosts hold for all worker processes together: here there are two, of which one is killed. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type Receiver, startReceiver } from '../../support/http/receiver.js';
import { until } from '../../support/until.js';
import { DeliveryWorld, type Hearing } from '../../support/worlds/delivery-world.js';
import type { RunningProgram } from '../../support/worlds/run-program.js';
import { SHORT_LOCKS } from '../../support/worlds/system-world.js';
import { startWorkerProcess } from '../../support/worlds/worker-process.js';

const WITHIN_MS = 60_000;
const PER_ENDPOINT = 2;
/** Of one account, in multiples of that for an endpoint. */
const PER_HOST = 10 * PER_ENDPOINT;
const RATE = 10;
const SETTINGS = {
  ...SHORT_LOCKS,
  WEBHOOK_ENDPOINT_CONCURRENCY: String(PER_ENDPOINT),
  WEBHOOK_TIMEOUT_SECONDS: '60',
  LOG_LEVEL: 'info',
};

describe('the limits of an endpoint, with two worker processes', function () {
  this.timeout(120_000);
  let world: DeliveryWorld;
  let receiver: Receiver;
  let isHeld: boolean;
  const held: ServerResponse[] = [];
  /** The most requests that were in flight at a time. */
  let most: number;
  let inFlight: number;
  const processes: RunningProgram[] = [];
  before(async () => {
    world = await DeliveryWorld.start();
    receiver = await startReceiver((response) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      if (isHeld) held.push(response);
      else answer(response);
    });
    for (let number = 0; number < 2; number++) processes.push(await startWorkerProcess(world.jobs, SETTINGS));
    for (const one of processes) await one.said(/"processes":2,.*limits of endpoints are shared/);
  });
  beforeEach(() => {
    [isHeld, most, inFlight] = [true, 0, 0];
    receiver.received.length = 0;
  });
  afterEach(() => world.forgetDefinitions());
  after(async () => {
    for (const one of processes) one.process.kill('SIGKILL');
    for (const one of processes) await one.end;
    await receiver.stop();
    await world.stop();
  });

  function answer(response: ServerResponse): void {
    inFlight -= 1;
    response.writeHead(204).end();
  }
  function release(): void {
    isHeld = false;
    for (const response of held.splice(0)) answer(response);
  }
  const countOf = async (where: object): Promise<number> =>
    Number((await world.db('delivery').where(where).count('* as count').first())?.count);
  /** All others have been looked at, and have left their batches. */
  const onlyInFlight = (count: number) =>
    until(
      `${count} are in flight, and the others wait (${inFlight} are)`,
      async () => inFlight >= count && (await countOf({ status: 'PENDING', dispatch: 1 })) <= inFlight,
      WITHIN_MS,
    );
  const allDelivered = async (count: number) => {
    await until('all are delivered', async () => (await countOf({ status: 'PENDING' })) === 0, WITHIN_MS);
    assert.equal(await countOf({ status: 'DELIVERED' }), count);
    await world.db('delivery').delete();
  };

  it('allow as many requests in flight as one process may have', async () => {
    await world.hear(receiver.url);
    await world.emit(Array(30).fill({}));
    await onlyInFlight(PER_ENDPOINT);
    assert.equal(inFlight, PER_ENDPOINT);
    release();
    await allDelivered(30);
    assert.equal(most, PER_ENDPOINT);
  });

  it('allow an account so many requests in flight to a host, with however many endpoints there', async () => {
    const made: Promise<Hearing>[] = [];
    for (let path = 0; path < 3 * PER_HOST; path++) made.push(world.hear(`${receiver.url}/${path}`));
    await Promise.all(made);
    await world.emit();
    await onlyInFlight(PER_HOST);
    assert.equal(inFlight, PER_HOST);
    release();
    await allDelivered(3 * PER_HOST);
    assert.equal(most, PER_HOST);
  });

  it('allow the rate once, even while one of the processes is killed; the other then has the whole', async () => {
    isHeld = false;
    const { id } = await world.hear(receiver.url, { rateLimit: RATE });
    const begun = performance.now();
    const events = 4 * RATE;
    await world.emit(Array(events).fill({}));
    await until('some have arrived', () => receiver.received.length >= RATE + 1, WITHIN_MS);
    processes[0]?.process.kill('SIGKILL');
    await allDelivered(events);
    // The requests of one second may be sent at once. The lease of the process that was killed may have been lost.
    const leastMs = ((events - RATE) / RATE) * 1_000;
    const tookMs = performance.now() - begun;
    assert.ok(tookMs >= leastMs, `${tookMs} ms for ${events} requests`);
    await processes[1]?.said(/"processes":1,.*limits of endpoints are shared/);

    isHeld = true;
    await world.db('webhook_definition').where({ id }).update({ rate_limit: null });
    await world.emit(Array(10).fill({}));
    await onlyInFlight(PER_ENDPOINT);
    release();
    await allDelivered(10);
  });
});
