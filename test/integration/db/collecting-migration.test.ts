/** A system that goes back to the release before disabled definitions collected: what they have collected can be replayed. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { disableDefinition } from '../../../src/domain/webhooks/definition-states.js';
import { DeliveryWorld } from '../../support/worlds/delivery-world.js';

const MIGRATION = '20261122160000_collecting-definitions.js';
const MIGRATIONS = {
  directory: fileURLToPath(new URL('../../../db/migrations', import.meta.url)),
  loadExtensions: ['.js'],
  tableName: 'schema_migration',
};

describe('the migration to definitions that collect', function () {
  this.timeout(60_000);
  let world: DeliveryWorld;
  before(async () => {
    world = await DeliveryWorld.start();
  });
  after(() => world.stop());

  it('cancels what was collected when it is undone, and nothing else; definitions that are disabled then collect nothing', async () => {
    const { db } = world;
    const { siteId } = await world.shop();
    const { id } = await world.hear('http://127.0.0.1:9/disabled');
    await disableDefinition(db, siteId, id);
    const { id: active } = await world.hear('http://127.0.0.1:9/active');
    const [eventId = ''] = await world.emit();
    const states = async () => {
      const rows = await world.deliveriesOf(eventId);
      return new Map(rows.map(({ definition_id, status }) => [definition_id, status]));
    };
    assert.deepEqual([(await states()).get(id), (await states()).get(active)], ['PENDING', 'PENDING']);
    for (let last = ''; !last.endsWith(MIGRATION); ) {
      const [, [undone]]: [number, string[]] = await db.migrate.down(MIGRATIONS);
      last = String(undone);
    }
    assert.deepEqual([(await states()).get(id), (await states()).get(active)], ['CANCELLED', 'PENDING']);
    await db.migrate.latest(MIGRATIONS);
    const { status, collect_hours, collects_until } = await world.definition(id);
    assert.deepEqual([status, collect_hours, collects_until], ['DISABLED', 72, null]);
    assert.equal((await world.deliveriesOf((await world.emit())[0] ?? '')).length, 1);
  });
});
