/** What trials count by: a worker that is doomed sends as many messages whether or not it happens to need its second connection. */
import assert from 'node:assert/strict';
import { openDoomed } from '../../support/faults/doomed-worker.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const NEVER = { at: Number.MAX_SAFE_INTEGER, lose: 'unsent' } as const;

describe('the messages of a worker that is doomed', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());

  const one = (services: World['services']) => services.db.raw('SELECT pg_sleep(0.01)');

  for (const [how, ask] of Object.entries({
    'one after the other': async (services: World['services']) => {
      await one(services);
      await one(services);
    },
    'at once': (services: World['services']) => Promise.all([one(services), one(services)]),
  })) {
    it(`are two for two statements ${how}`, async () => {
      const doomed = await openDoomed(world.services, NEVER);
      try {
        await ask(doomed.services);
        assert.equal(doomed.messages(), 2);
      } finally {
        await doomed.close();
      }
    });
  }

  it('begin with the first statement, which can be the last', async () => {
    const doomed = await openDoomed(world.services, { at: 1, lose: 'unsent' });
    try {
      await assert.rejects(one(doomed.services));
      assert.deepEqual([doomed.isCut(), doomed.messages()], [true, 1]);
    } finally {
      await doomed.close();
    }
  });
});
