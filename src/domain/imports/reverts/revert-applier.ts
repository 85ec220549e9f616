/** Applies the rows of a revert: each gives one item, or one definition, back the state that it had before the jobs. */
import { normalizeSku, skuOfElement } from '../../catalog/items/item-key.js';
import { OUTCOME } from '../../outcomes/model/chunk-result.js';
import type { ItemRules } from '../items/item-rules.js';
import type { ReadAccess } from '../items/refuse-changed.js';
import type { RowApplier, SourceRows } from '../rows/row-applier.js';
import { applyDefinitionRows } from './apply-definition-rows.js';
import { applyLastRows } from './apply-last-rows.js';
import { applyReverts, type ReadRevert, type RevertJob } from './apply-reverts.js';
import { CurrentRules } from './current-rules.js';
import { type DefinitionRow, isDefinitionRow } from './definition-row.js';
import { isOfDefinition, isOfItem, type ReadChange } from './read-change.js';
import type { RevertRow } from './revert-row.js';

/** The rows of one chunk are all of items, or all of definitions. Those of the last pass are of both. */
interface ReadChunk {
  readonly rows: ReadChange[];
}

/** How what is approved row by row reads the rows. */
export const REVERTED_ROWS: ReadAccess<ReadChunk, ReadChange> = {
  rowsOf: ({ rows }) => rows,
  withRows: (_, rows) => ({ rows }),
  skuOf: ({ item }) => (isDefinitionRow(item) ? null : item.sku),
  refused: (row, refused) => ({ ...row, refused }) as ReadChange,
};

/** The SKU of each row of an item. */
export function skusOfReverts({ rows }: ReadChunk): (string | undefined)[] {
  return rows.map(({ item }) => (isDefinitionRow(item) ? undefined : item.sku));
}

/**
 * Rows of items are written by writers of rows of imports, in the same passes: a variant is created after its parent and
 * deleted before it, a bundle is created after what it holds and deleted before it.
 */
export function revertApplier(job: RevertJob, begun: ItemRules): RowApplier<ReadChunk> {
  const current = new CurrentRules(job, begun);
  return {
    ordered: true,
    winner: 'first',
    readHeader: () => {
      throw new Error('the rows of a revert are lines of JSON');
    },
    keyOf: skuOfElement,
    normaliseKey: normalizeSku,
    reserve: async () => ({}),
    read: async (source) => readRows(source),
    gather: (before, read, outcomes) => {
      const rows = before?.rows ?? [];
      for (const [index, one] of read.rows.entries()) rows.push(outcomes[index] === OUTCOME.deferred ? one : DECIDED);
      return { rows };
    },
    done: () => undefined,
    apply: async (trx, { rows }, context) => {
      const changing = { job, current, context };
      if (context.pass.last) return applyLastRows(trx, rows, changing);
      if (rows.some(isOfDefinition)) return applyDefinitionRows(trx, rows.filter(isOfDefinition), changing);
      return applyReverts(trx, rows.filter(isOfItem), { job, rules: await current.rules(trx), context });
    },
  };
}

/** Takes the place of each row that was decided in an earlier pass. */
const DECIDED: ReadRevert = {
  row: 0,
  item: { sku: '', was: false, is: false, isWhole: false, changed: {}, firstSet: 0, at: '' },
};

function readRows(source: SourceRows): ReadChunk {
  if (source.format !== 'JSON') throw new Error('the rows of a revert are lines of JSON');
  const rows: ReadChange[] = [];
  for (const { row, text } of source.rows) {
    // The numbers of the change log are those that were stored.
    const item: RevertRow | DefinitionRow = JSON.parse(text);
    rows.push(isDefinitionRow(item) ? { row, item } : { row, item });
  }
  return { rows };
}
