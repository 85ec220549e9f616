/** Comparing items of two stages again, as each chunk of a promotion does. */
import { differencesOfItems } from '../../../src/domain/imports/promotes/differences.js';
import { loadStageMaps } from '../../../src/domain/imports/promotes/stage-maps.js';
import type { HotWork } from './hot-work.js';

const SKUS = Array.from({ length: 10 }, (_, n) => `sku ${String(n * 10).padStart(7, '0')}`);

export const COMPARING: readonly HotWork[] = [
  {
    does: 'compares ten items of two stages',
    within: 250,
    withinDead: 2_500,
    run: async (trx, laid) => {
      const stages = { sourceId: laid.sites - 1, targetId: laid.sites };
      const maps = await loadStageMaps(trx, stages.sourceId, stages.targetId);
      await differencesOfItems(trx, stages, maps, SKUS);
    },
  },
];
