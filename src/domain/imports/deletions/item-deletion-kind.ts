/** Deletion of items and bundles, by SKU: a job like any other, so that each row is reported. */
import type { Knex } from 'knex';
import { normalizeSku } from '../../catalog/items/item-key.js';
import type { ChunkResult } from '../../jobs/chunk-result.js';
import { skuOfElement } from '../items/read/read-item-element.js';
import type { ApplyContext, IngestKind, SourceRows } from '../pipeline/ingest-kind.js';
import { applyDeletions, type ReadDeletion } from './apply-deletions.js';

export interface DeletionJob {
  readonly siteId: number;
  /** Only what is seen under it is deleted; null: everything is seen. */
  readonly channel: number | null;
}

/** Rows are elements `{sku}`. */
export function itemDeletionKind(job: DeletionJob): IngestKind<ReadDeletion[]> {
  return {
    ordered: true,
    standing: 'first',
    readHeader: () => {
      throw new Error('items are deleted by request, not by file');
    },
    keyOf: skuOfElement,
    normaliseKey: normalizeSku,
    reserve: async () => ({}),
    read: async (source) => readRows(source),
    done: () => undefined,
    apply: (trx: Knex.Transaction, read: ReadDeletion[], context: ApplyContext): Promise<ChunkResult> =>
      applyDeletions(trx, read, { ...job, duplicates: context.duplicates }),
  };
}

function readRows(source: SourceRows): ReadDeletion[] {
  if (source.format !== 'JSON') throw new Error('items are deleted by request, not by file');
  return Array.from(source.rows, ({ row, element }) => ({ row, sku: normalizeSku(skuOfElement(element) ?? '') }));
}
