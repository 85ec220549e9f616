/** Writes resolved rows: items, and what belongs to them. */
import type { Knex } from 'knex';
import { type Changes, type ItemChange, OPERATION } from '../../../changes/model/item-change.js';
import { removeItems } from '../../deletions/remove-items.js';
import type { ApplyItems } from '../item-batch.js';
import type { ItemState } from '../resolve/item-state.js';
import type { Resolution } from '../resolve/resolved-row.js';
import { raiseSerials } from '../resolve/serials.js';
import type { NewItems } from './copy-rows.js';
import { updateVariantStatuses } from './variant-statuses.js';
import { copyNewItems, updateItems } from './write-items.js';

/** The resolved rows of one site. */
export interface SiteResolution {
  readonly resolution: Resolution;
  readonly options: ApplyItems;
}

/**
 * Writes the rows of sites, which are given in the order of their ids, in one go.
 * @returns what each site's rows changed; null when an insert collided: the transaction is then back at the savepoint
 *   before the rows
 */
export async function writeResolved(
  trx: Knex.Transaction,
  sites: readonly SiteResolution[],
): Promise<readonly Changes[] | null> {
  const created: NewItems[] = [];
  const updated: ItemState[] = [];
  const followed: Map<string, number>[] = [];
  const changes: { created: string[]; createdRows: number[]; createdAs?: string[]; changed: ItemChange[] }[] = [];
  for (const { resolution, options } of sites) {
    const { siteId, rules } = options;
    await resolution.storeBesides?.(trx);
    const items: ItemState[] = [];
    const changed: ItemState[] = [];
    const parents = new Map<string, number>();
    const own: (typeof changes)[number] = { created: [], createdRows: [], changed: [] };
    if (options.describesCreated) own.createdAs = [];
    changes.push(own);
    for (const { draft, decision } of resolution.rows) {
      if (decision.kind === 'create') {
        items.push(decision.item);
        own.created.push(decision.item.sku);
        own.createdRows.push(draft.row);
        own.createdAs?.push(described(decision.item, options.attributeName));
      } else if (decision.kind === 'update') {
        changed.push(decision.item);
        const { changed: differences, item } = decision;
        own.changed.push({ sku: item.sku, operation: OPERATION.updated, row: draft.row, changed: differences });
        if (decision.variantsFollow) parents.set(item.sku, draft.row);
      }
    }
    await rules.filled.note(trx, siteId, items, changed);
    created.push({ siteId, items });
    for (const item of changed) updated.push(item);
    followed.push(parents);
  }
  const guarded = sites.every(({ options }) => options.guarded);
  if (!(await copyNewItems(trx, created, guarded))) return null;
  await updateItems(trx, updated);
  for (const [nth, { resolution, options }] of sites.entries()) {
    const { siteId, rules } = options;
    const leaving = deleted(resolution);
    if (leaving.size > 0) changes[nth]?.changed.push(...(await removeItems(trx, siteId, [...leaving.keys()], leaving)));
    const parents = followed[nth];
    if (parents !== undefined && parents.size > 0)
      changes[nth]?.changed.push(...(await updateVariantStatuses(trx, siteId, rules, parents)));
    if (rules.serials.length > 0) await raiseSerials(trx, rules, written(resolution));
  }
  return changes;
}

/** What a new item is like, but for its SKU and the numbers of series, which are given to it when it is created. */
function described(
  { type, nodeId, status, parentSku, channels, document, components }: ItemState,
  attributeName: ApplyItems['attributeName'],
): string {
  const values = attributeName === undefined ? document.toJson() : named(document.parse(), attributeName);
  return JSON.stringify([type, nodeId, status, parentSku, channels, values, components]);
}

function named(values: Readonly<Record<string, unknown>>, attributeName: (id: string) => string): unknown[] {
  return Object.entries(values)
    .map(([id, value]): [string, unknown] => [attributeName(id), value])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The items that rows delete: SKU → row. */
function deleted({ rows }: Resolution): ReadonlyMap<string, number> {
  const leaving = new Map<string, number>();
  for (const { draft, decision } of rows) if (decision.kind === 'delete') leaving.set(draft.sku, draft.row);
  return leaving;
}

function written({ rows }: Resolution) {
  return rows.flatMap(({ draft, decision }) => ('item' in decision ? [{ set: draft.set, item: decision.item }] : []));
}
