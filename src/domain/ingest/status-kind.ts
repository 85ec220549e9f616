/** The rows of a status job: categories whose items have to have other attributes than before. */
import type { Knex } from 'knex';
import type { ChunkResult } from './chunk-result.js';
import { OUTCOME } from './chunk-result.js';
import type { IngestKind } from './ingest-kind.js';
import type { ItemRules } from './items/item-rules.js';
import { refreshStatuses } from './items/refresh-statuses.js';
import type { CsvRow } from './source/parse-csv-chunk.js';
import type { JsonRow } from './source/parse-jsonl-chunk.js';

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
