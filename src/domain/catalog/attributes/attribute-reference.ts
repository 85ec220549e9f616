/** Looks up attributes of a site as clients name them: by id or by name. */
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { attributeKey } from '../../kernel/attribute-key.js';

/** How a client names an attribute. */
export type AttributeReference = { readonly id: string } | { readonly name: string };

/** The attributes in the order of the references; undefined where the site has no such attribute. */
export async function findAttributes(
  db: Db,
  siteId: number,
  references: readonly AttributeReference[],
): Promise<(Attribute | undefined)[]> {
  const ids = references.flatMap((reference) => ('id' in reference ? [reference.id] : []));
  const keys = references.flatMap((reference) => ('name' in reference ? [attributeKey(reference.name)] : []));
  const rows = await Attribute.query(db)
    .where({ site_id: siteId })
    .where((query) => query.whereIn('id', ids).orWhereIn('name_key', keys));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byKey = new Map(rows.map((row) => [row.name_key, row]));
  return references.map((reference) =>
    'id' in reference ? byId.get(reference.id) : byKey.get(attributeKey(reference.name)),
  );
}

/** How a message names the attribute that a client meant. */
export function describeAttribute(reference: AttributeReference): string {
  return 'id' in reference ? `with the id ${reference.id}` : `"${reference.name}"`;
}
