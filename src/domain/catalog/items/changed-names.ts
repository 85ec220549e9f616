/** What the change log calls what an item has, and what people call it. */
import type { Db } from '../../../../db/connection.js';
import { FIELD } from '../../changes/model/item-change.js';

/** What an item has besides its values: as the log names it → the name in the API. */
export const FIELD_NAMES: Readonly<Record<string, string>> = {
  [FIELD.node]: 'nodeId',
  [FIELD.parent]: 'parentSku',
  [FIELD.channels]: 'channels',
  [FIELD.alternates]: 'alternateCategories',
  [FIELD.bundle]: 'bundleItems',
  [FIELD.status]: 'status',
  [FIELD.type]: 'type',
  [FIELD.createdAt]: 'createdOn',
};

/** The name that what an item has besides its values has in the API. */
export function changedFieldName(field: string): string {
  return FIELD_NAMES[field] ?? field;
}

/** What an item has besides its values: the name in the API → as the log names it. */
export function changedFields(): ReadonlyMap<string, string> {
  return new Map(Object.entries(FIELD_NAMES).map(([field, name]) => [name, field]));
}

/** @param keys as the log names what changed @returns its name for people; of an attribute that is there */
export async function namesOfChanged(
  db: Db,
  siteId: number,
  keys: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...keys].filter((key) => !key.startsWith('$'));
  const attributes: { id: string; name: string }[] =
    ids.length === 0
      ? []
      : await db('attribute').where({ site_id: siteId }).whereRaw('id = ANY (?)', [ids]).select('id', 'name');
  return new Map([...Object.entries(FIELD_NAMES), ...attributes.map(({ id, name }) => [id, name] as const)]);
}
