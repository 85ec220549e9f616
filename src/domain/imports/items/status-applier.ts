/** Applies the rows of a status job: categories whose mandatory attributes have changed. */
import type { Knex } from 'knex';
import { NO_CHANGES } from '../../changes/model/item-change.js';
import type { CsvRow } from '../../formats/csv/parse-csv-chunk.js';
import type { JsonRow } from '../../formats/json/json-rows.js';
import { OUTCOME } from '../../outcomes/model/chunk-result.js';
import type { AppliedRows, RowApplier } from '../rows/row-applier.js';
import type { ItemRules } from './item-rules.js';
import { refreshStatuses } from './refresh-statuses.js';

/** @param rules the rules of the current definitions; a later change schedules another job */
export function statusApplier(siteId: number, rules: ItemRules): RowApplier<number[]> {
  return {
    ordered: true,
    winner: 'last',
    readHeader: () => -1,
    keyOf: () => null,
    normaliseKey: (key) => key,
    reserve: async () => ({}),
    read: async ({ rows }) =>
      Array.from<CsvRow | JsonRow, number>(rows, (row) => nodeIdOf('element' in row ? row.element : null)),
    done: () => undefined,
    apply: async (trx: Knex.Transaction, nodeIds: number[]): Promise<AppliedRows> => {
      const { tops, changes } = await refreshStatuses(trx, siteId, rules, nodeIds);
      return {
        changes: { ...NO_CHANGES, changed: changes },
        outcomes: nodeIds.map((nodeId) => (tops.has(nodeId) ? OUTCOME.updated : OUTCOME.unchanged)),
        failures: [],
      };
    },
  };
}

function nodeIdOf(element: unknown): number {
  const nodeId = typeof element === 'object' && element !== null && 'nodeId' in element ? element.nodeId : undefined;
  if (typeof nodeId !== 'number') throw new Error('a row of a status job names no category');
  return nodeId;
}
