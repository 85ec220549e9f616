/** Finds what a filter of changes names: attributes, also those that were deleted or renamed since, and fields of items. */
import type { Db } from '../../../../db/connection.js';
import { loggedAttributeNames } from '../../changes/logged-attribute-names.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { DomainError, type ErrorProblem } from '../../kernel/errors.js';
import { nearestName } from '../../kernel/nearest-name.js';
import { changedFields } from './changed-names.js';

/** A request that names many attributes which are not there gets a hint for the first of them. */
const MOST_HINTS = 20;

/**
 * What the log calls the attributes and fields with these names: those of today first, then names that attributes had. An
 * attribute that was deleted may be named by its id too, as changes name it.
 * @param path the parameter or member that has the names
 * @throws DomainError invalid REQUEST_INVALID with a problem for each name that nothing has or had
 */
export async function changeFilterNames(
  db: Db,
  siteId: number,
  names: readonly string[],
  path: string,
): Promise<string[]> {
  const fields = changedFields();
  const attributes: { id: string; name: string; name_key: string }[] = await db('attribute')
    .where({ site_id: siteId })
    .select('id', 'name', 'name_key');
  const present = new Map(attributes.map((attribute) => [attribute.name_key, attribute.id]));
  const idsOf = (name: string) => present.get(attributeKey(name)) ?? fields.get(name);
  const isMissing = names.some((name) => idsOf(name) === undefined);
  const former = isMissing ? await formerNames(db, siteId) : new Map<string, readonly string[]>();
  const found: string[] = [];
  const unknown: string[] = [];
  for (const name of names) {
    const id = idsOf(name);
    const logged = id === undefined ? former.get(attributeKey(name)) : [id];
    if (logged === undefined) unknown.push(name);
    else found.push(...logged);
  }
  if (unknown.length === 0) return found;
  const candidates = [...attributes.map(({ name }) => name), ...fields.keys()];
  const problems = unknown.map((name, nth): ErrorProblem => {
    const nearest = nth < MOST_HINTS ? nearestName(name, candidates, (one) => one) : undefined;
    const hint =
      nearest === undefined ? 'GET /api-product/v1/product/attribute lists them' : `did you mean "${nearest}"?`;
    const message = `no attribute or field is called "${name.slice(0, 60)}", and no change names one: ${hint}`;
    return { path, code: 'ATTRIBUTE_NOT_FOUND', message };
  });
  throw new DomainError('invalid', 'REQUEST_INVALID', `${path}: ${problems[0]?.message}`, { problems });
}

/**
 * Names that attributes had, and ids of those that are not there any more → as the log names these attributes. What a
 * comparison has found of an attribute that the stage lacks stands under its name.
 */
async function formerNames(db: Db, siteId: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  const add = (key: string, ...logged: string[]) => found.set(key, [...(found.get(key) ?? []), ...logged]);
  for (const { id, name } of await loggedAttributeNames(db, siteId)) {
    add(attributeKey(name), id, name);
    add(id, id);
  }
  return found;
}
