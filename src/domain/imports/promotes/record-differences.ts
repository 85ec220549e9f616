/** Records what a comparison has found as what a dry run would have changed, so that it is read, summed up and downloaded as such. */
import type { Knex } from 'knex';
import type { DefinitionChange } from '../../changes/definition-changes.js';
import { recordDefinitionPreview } from '../../changes/definition-changes.js';
import type { Image } from '../../changes/model/definition-image.js';
import { type Differences, FIELD, type ItemChange, OPERATION } from '../../changes/model/item-change.js';
import { recordChanges } from '../../changes/record-changes.js';
import type { CompareJob } from '../model/compare-job.js';
import type { RevertRow } from '../reverts/revert-row.js';
import type { DefinitionDifference } from './definition-differences.js';
import type { Difference } from './found-differences.js';
import type { StageMaps } from './stage-maps.js';

/** How many items are recorded at once. */
const RECORDED = 500;

/** @returns how many differences there are: what would be created, and what would be updated or deleted */
export async function recordDifferences(
  trx: Knex.Transaction,
  { id: jobId, site_id: siteId, actor }: CompareJob,
  maps: StageMaps,
  found: AsyncIterable<Difference>,
): Promise<{ readonly created: number; readonly updated: number }> {
  const own = { siteId, jobId, actor };
  const counts = { created: 0, updated: 0 };
  let row = 0;
  let definitions: DefinitionChange[] = [];
  let items: { readonly row: number; readonly item: RevertRow }[] = [];
  const record = async () => {
    await recordDefinitionPreview(trx, own, definitions);
    const [created, others] = [items.filter(({ item }) => !item.is), items.filter(({ item }) => item.is)];
    const changes = {
      created: created.map(({ item }) => item.sku),
      createdRows: created.map(({ row }) => row),
      changed: others.map(({ row, item }) => changeOf(row, item, maps)),
    };
    await recordChanges(trx, [{ ...own, isPreview: true, changes }]);
    definitions = [];
    items = [];
  };
  for await (const difference of found) {
    row++;
    const isNew = 'definition' in difference ? difference.definition.present === null : !difference.item.is;
    counts[isNew ? 'created' : 'updated']++;
    if ('definition' in difference) definitions.push(definitionChange(difference.definition, maps));
    else items.push({ row, item: difference.item });
    if (items.length >= RECORDED) await record();
  }
  await record();
  return counts;
}

function changeOf(row: number, { sku, was, changed }: RevertRow, maps: StageMaps): ItemChange {
  const entries = Object.entries(changed).map(([key, { b, a }]) => {
    const [before, after] = [shown(key, a, maps), shown(key, b, maps)];
    const difference = { ...(before === undefined ? {} : { b: before }), ...(after === undefined ? {} : { a: after }) };
    return [maps.lacking.get(key) ?? key, difference] as const;
  });
  const differences: Differences = Object.fromEntries(entries);
  return { sku, operation: was ? OPERATION.updated : OPERATION.deleted, row, changed: differences };
}

/** A value as the change log has it: what the stage lacks is called by its name or path. */
function shown(key: string, value: unknown, { nodeIds, lacking }: StageMaps): unknown {
  if (key === FIELD.node && typeof value === 'string') return nodeIds.get(value) ?? lacking.get(value) ?? value;
  if (key === FIELD.alternates && Array.isArray(value)) return value.map((id) => lacking.get(String(id)) ?? id);
  return value;
}

function definitionChange(
  { kind, key, source, initial, present }: DefinitionDifference,
  { nodeIds, lacking }: StageMaps,
): DefinitionChange {
  const called = (id: unknown) => nodeIds.get(String(id)) ?? lacking.get(String(id));
  const named = (image: Image): Image => ({
    ...image,
    ...('attributeId' in image ? { attributeId: lacking.get(String(image.attributeId)) ?? image.attributeId } : {}),
    ...('categoryId' in image ? { nodeId: called(image.categoryId) } : {}),
    ...('parentId' in image ? { parentNodeId: called(image.parentId) } : {}),
  });
  const all = present === null ? { ...initial, ...source } : { ...present, ...source };
  return {
    kind,
    key,
    operation: present === null ? 'C' : source === null ? 'D' : 'U',
    before: present === null ? null : named(present),
    after: source === null ? null : named(all),
  };
}
