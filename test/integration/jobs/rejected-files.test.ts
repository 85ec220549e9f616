/** Files that are rejected one after another: their account does not occupy the process with them beside others. */
import assert from 'node:assert/strict';
import { createHandlers } from '../../../src/workers/index.js';
import { Snooze } from '../../../src/workers/snooze.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const handlers = createHandlers();
const REJECTED = 'SKU\u0000';
const ACCEPTED = 'SKU,Category Node,Title\na,Disk,one\n';

describe('the files of an account of which several were rejected one after another', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let other: Shop;
  let services: World['services'];
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    [shop, other] = [await world.newShop(), await world.newShop()];
    const workers = await world.startWorkers();
    for (const one of [shop, other]) await one.define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await workers.stop();
    // A process that has begun nothing yet.
    services = { ...world.services };
  });

  it('begin at once while it uses the process alone', async () => {
    for (let time = 0; time < 8; time++) assert.equal(await begin(shop, REJECTED), 'REJECTED');
  });

  it('wait up to a second before they begin while another account uses the process', async () => {
    for (let time = 0; time < 10; time++) assert.equal(await begin(shop, REJECTED), 'REJECTED');
    const [last, next] = [await accept(shop, REJECTED), await accept(shop, REJECTED)];
    await begin(other, ACCEPTED);
    assert.equal(await afterWaiting(last), 'REJECTED');
    const wait = await plan(next);
    assert.ok(wait instanceof Snooze && wait.delayMs > 0 && wait.delayMs <= 1_000, String(wait));
    assert.equal(await statusOf(next), 'SCHEDULED', 'nothing of it was begun');
    assert.equal(await afterWaiting(next), 'REJECTED');
  });

  it('do not wait after the first four', async () => {
    await begin(other, ACCEPTED);
    for (let time = 0; time < 4; time++) assert.equal(await begin(shop, REJECTED), 'REJECTED');
    assert.equal(await begin(shop, ACCEPTED), 'COMPLETED');
  });

  it('begin at once again after one that was not rejected', async () => {
    for (let time = 0; time < 5; time++) assert.equal(await begin(shop, REJECTED), 'REJECTED');
    await begin(other, ACCEPTED);
    assert.equal(await afterWaiting(await accept(shop, ACCEPTED)), 'COMPLETED');
    for (let time = 0; time < 4; time++) assert.equal(await begin(shop, REJECTED), 'REJECTED');
  });

  it('make no other account wait, nor the rows that the same account sends in requests', async () => {
    await begin(other, ACCEPTED);
    for (let time = 0; time < 5; time++) await afterWaiting(await accept(shop, REJECTED));
    assert.equal(await begin(other, REJECTED), 'REJECTED');
    const { jobId } = await world.acceptRows(shop, 'upsert', [
      { sku: 'b', nodeName: 'Disk', attributes: { Title: 'two' } },
    ]);
    assert.equal(await plan(jobId), undefined);
    assert.equal(await statusOf(jobId), 'COMPLETED');
  });

  async function accept(of: Shop, content: string): Promise<string> {
    return (await world.acceptFile(of, 'x.csv', content)).jobId;
  }

  /** Executes the plan step of a job. @returns the snooze that it asked for */
  async function plan(jobId: string): Promise<Snooze | undefined> {
    const { dispatch } = await world.db('job_order').where({ job_id: jobId }).first('dispatch');
    return handlers.planJob.run(services, { jobId, dispatch }, new AbortController().signal).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof Snooze) return error;
        throw error;
      },
    );
  }

  /** @returns the status in which the job has ended */
  async function begin(of: Shop, content: string): Promise<string> {
    const jobId = await accept(of, content);
    assert.equal(await plan(jobId), undefined);
    return statusOf(jobId);
  }

  /** Executes the step when its wait is over, as the queue does. @returns the status in which the job has ended */
  async function afterWaiting(jobId: string): Promise<string> {
    for (let snooze = await plan(jobId); snooze !== undefined; snooze = await plan(jobId)) {
      await new Promise((resolve) => setTimeout(resolve, snooze?.delayMs));
    }
    return statusOf(jobId);
  }

  async function statusOf(jobId: string): Promise<string> {
    const { status } = await world.db('job').where({ id: jobId }).first('status');
    return status;
  }
});
