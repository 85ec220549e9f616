/** How rows of items name their items, and how one of them is refused. */
import type { ReadRow, ReadRows } from './item-batch.js';
import type { ReadAccess } from './refuse-changed.js';

export function skuOfRow({ outcome }: ReadRow): string | undefined {
  return outcome.draft?.sku;
}

export const ITEM_ROWS: ReadAccess<ReadRows, ReadRow> = {
  rowsOf: ({ rows }) => rows,
  withRows: (read, rows) => ({ ...read, rows }),
  skuOf: (row) => skuOfRow(row) ?? null,
  refused: ({ row, outcome: { key } }, problem) => ({
    row,
    outcome: { draft: null, problems: [problem], key, rest: null },
  }),
};
