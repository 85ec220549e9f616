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
  const { ids, keys } = namedBy(references);
  const rows = await Attribute.query(db)
    .where({ site_id: siteId })
    .where((query) => query.whereIn('id', ids).orWhereIn('name_key', keys));
  return inOrder(references, rows);
}

interface NamedAttribute {
  readonly id: string;
  readonly name: string;
  readonly name_key: string;
}

/** The same of thousands of references, whose definitions would take a long turn of the event loop to read. */
export async function findNamedAttributes(
  db: Db,
  siteId: number,
  references: readonly AttributeReference[],
): Promise<(NamedAttribute | undefined)[]> {
  const { rows } = await db.raw<{ rows: NamedAttribute[] }>(
    `SELECT id, name, name_key FROM attribute
     WHERE site_id = :siteId AND (id = ANY (:ids::text[]) OR name_key = ANY (:keys::text[]))`,
    { siteId, ...namedBy(references) },
  );
  return inOrder(references, rows);
}

function namedBy(references: readonly AttributeReference[]): { ids: string[]; keys: string[] } {
  return {
    ids: references.flatMap((reference) => ('id' in reference ? [reference.id] : [])),
    keys: references.flatMap((reference) => ('name' in reference ? [attributeKey(reference.name)] : [])),
  };
}

function inOrder<Found extends { readonly id: string; readonly name_key: string }>(
  references: readonly AttributeReference[],
  rows: readonly Found[],
): (Found | undefined)[] {
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
