/** What a revert says of a job that has left nothing changed. */
import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('a revert of a job that has left nothing changed', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());

  it('says so where the job has deleted again what it had created, and not that its changes are no longer kept', async () => {
    const shop = await world.newShop();
    const { body, text } = await shop.bulkAttributes([
      { action: 'CREATE', name: 'Colour', type: 'TEXT' },
      { action: 'DELETE', name: 'Colour' },
    ]);
    assert.deepEqual(body.attributes.failed, [], text);
    const answer = await shop.post('/jobs/actions/revert', { jobIds: [body.jobId] });
    assert.equal(answer.status, 409, answer.text);
    assert.match(answer.text, /has left nothing changed that is kept/);
  });
});
