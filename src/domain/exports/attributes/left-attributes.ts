/** The attributes that an export had, or may have had, and has no longer, of those that have changed since. */
import type { QueryBuilder } from 'objection';
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { attributeTitleCell } from '../../catalog/attributes/attribute-to-cells.js';
import type { ChangedAttribute } from '../../changes/definitions-since.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import type { AttributeMatch } from '../model/export-spec.js';
import type { LeftRecord } from '../write/with-operation.js';

/**
 * Each name that one of them had, unless an attribute of the export has it now: somebody who adds up such files would keep it
 * otherwise. Names are the same without regard to case, as for imports.
 * @param matching the attributes of the whole export
 */
export async function leftAttributes(
  trx: Db,
  { siteId, match: { ids, nameKeys, types } }: { readonly siteId: number; readonly match: AttributeMatch },
  changed: readonly ChangedAttribute[],
  matching: QueryBuilder<Attribute>,
): Promise<LeftRecord[]> {
  const present = new Set((await matching.clone().select('name_key')).map(({ name_key: key }) => key));
  const left = new Map<string, string>();
  for (const { id, name, type } of [...(await presentNames(trx, siteId, changed)), ...formerNames(changed)]) {
    const key = attributeKey(name);
    const isWanted =
      (ids === undefined || ids.includes(id)) &&
      (nameKeys === undefined || nameKeys.includes(key)) &&
      (types === undefined || types.includes(type));
    if (isWanted && !present.has(key)) left.set(key, name);
  }
  return [...left.values()].sort().map((name) => ({ cells: { [TITLE]: attributeTitleCell(name) }, element: { name } }));
}

const TITLE = 'Attribute Title';

type Named = Pick<Attribute, 'id' | 'name' | 'type'>;

/** They may not match any more. */
async function presentNames(trx: Db, siteId: number, changed: readonly ChangedAttribute[]): Promise<Named[]> {
  return await Attribute.query(trx)
    .where({ site_id: siteId })
    .whereRaw('id = ANY (?)', [changed.map(({ id }) => id)])
    .select('id', 'name', 'type');
}

function formerNames(changed: readonly ChangedAttribute[]): Named[] {
  return changed.flatMap(({ id, was }) =>
    was === null ? [] : [{ id, name: was.name, type: was.type as Named['type'] }],
  );
}
