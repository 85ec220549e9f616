/** The rows of a status job: categories whose items have to have other attributes than before. */
import type { Knex } from 'knex';
import type { CsvRow } from '../../formats/csv/parse-csv-chunk.js';
import type { JsonRow } from '../../formats/json/plan-jsonl.js';
import type { ChunkResult } from '../../jobs/chunk-result.js';
import { OUTCOME } from '../../jobs/chunk-result.js';
import type { IngestKind } from '../pipeline/ingest-kind.js';
import type { ItemRules } from './item-rules.js';
import { refreshStatuses } from './write/refresh-statuses.js';

/** @param rules of the definitions as they are now: a later change brings a job of its own */
export function statusKind(siteId: number, rules: ItemRules): IngestKind<number[]> {
  return {
    ordered: true,
    standing: 'last',
    readHeader: () => -1,
    keyOf: () => null,
    normaliseKey: (key) => key,
    reserve: async () => ({}),
    read: async ({ rows }) =>
      Array.from<CsvRow | JsonRow, number>(rows, (row) => nodeIdOf('element' in row ? row.element : null)),
    done: () => undefined,
    apply: async (trx: Knex.Transaction, nodeIds: number[]): Promise<ChunkResult> => {
      const changed = await refreshStatuses(trx, siteId, rules, nodeIds);
      return {
        outcomes: nodeIds.map((nodeId) => (changed.has(nodeId) ? OUTCOME.updated : OUTCOME.unchanged)),
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
