/** What a comparison of two whole stages touches: each item a few times, whatever Postgres believes of the tables. */
import assert from 'node:assert/strict';
import type { Db } from '../../../db/connection.js';
import { differencesBetween } from '../../../src/domain/imports/promotes/differences.js';
import { loadStageMaps } from '../../../src/domain/imports/promotes/stage-maps.js';
import type { Laid } from '../../support/worlds/plans/laid-ids.js';
import { FEW, layRows } from '../../support/worlds/plans/laid-rows.js';
import { canMeasure, sentBy } from '../../support/worlds/plans/sent-statements.js';
import { layMisjudged, newTables, type Tables } from '../../support/worlds/plans/table-states.js';

const ITEMS = 2_500;
/** For an item of both stages: its entries in the indexes of items, alternate categories and bundles, and its rows. */
const BUFFERS_OF_ITEM = 30;

const STATES: readonly { readonly name: string; readonly reach: (db: Db, laid: Laid) => Promise<unknown> }[] = [
  { name: 'never analyzed', reach: layRows },
  { name: 'analyzed', reach: (db, laid) => layRows(db, laid).then(() => db.raw('ANALYZE')) },
  { name: 'analyzed when they held a few rows', reach: layMisjudged },
];

describe('a comparison of two whole stages', function () {
  this.timeout(60_000);

  for (const { name, reach } of STATES) {
    describe(`on tables that were ${name}`, () => {
      let tables: Tables;
      before(async function () {
        tables = await newTables({ amounts: { ...FEW, items: ITEMS }, states: [] });
        if (!(await canMeasure(tables.db))) this.skip();
        await reach(tables.db, tables.laid);
      });
      after(() => tables.drop());

      it(`touches ${BUFFERS_OF_ITEM} buffers for each item at most`, async () => {
        const { sites } = tables.laid;
        let found = 0;
        const sent = await sentBy(tables.db, async (trx) => {
          const stages = { sourceId: sites - 1, targetId: sites };
          const maps = await loadStageMaps(trx, stages.sourceId, stages.targetId);
          for await (const { sku } of differencesBetween(trx, stages, maps)) if (sku !== '') found++;
        });
        // The source has variants and bundles, which the target lacks.
        assert.ok(found > ITEMS / 20, `${found} items differ`);
        const buffers = sent.reduce((sum, one) => sum + one.buffers, 0);
        const dearest = sent.toSorted((one, other) => other.buffers - one.buffers)[0];
        assert.ok(buffers <= BUFFERS_OF_ITEM * ITEMS, `${buffers} buffers, most of them by\n${dearest?.plan}`);
      });
    });
  }
});
