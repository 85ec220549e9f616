/** What the rows of a revert call definitions: by the names that these have, or had last. */
import type { Knex } from 'knex';
import { type Place, placePath } from '../../catalog/categories/place-categories.js';
import type { OwnDefinitionChange } from '../../changes/changes-by-definition.js';
import { storable } from '../../kernel/characters.js';

type Labelled = Pick<OwnDefinitionChange, 'kind' | 'key' | 'before' | 'after'>;

const MOST_CHARACTERS = 200;

/** @param changes all changes whose definitions are to be called by a name */
export async function definitionLabels(
  trx: Knex.Transaction,
  siteId: number,
  changes: readonly OwnDefinitionChange[],
): Promise<(definition: Labelled) => string> {
  const attributes = new Map<string, string>();
  const categories = new Map<string, Place>();
  for (const { kind, key, before, after } of changes) {
    const { name, parentId } = after ?? before ?? {};
    if (kind === 'attribute') attributes.set(key, String(name));
    if (kind === 'category') categories.set(key, { name: String(name), parentId: parentId as string | null });
  }
  const named: { id: string; name: string }[] = await trx('attribute').where({ site_id: siteId }).select('id', 'name');
  for (const { id, name } of named) attributes.set(id, name);
  const placed: { id: string; name: string; parent_id: string | null }[] = await trx('category')
    .where({ site_id: siteId })
    .select('id', 'name', 'parent_id');
  for (const { id, name, parent_id: parentId } of placed) categories.set(id, { name, parentId });
  const nameOf = (id: unknown) => attributes.get(String(id)) ?? String(id);
  const labels = {
    attribute: ({ key }: Labelled) => `attribute ${nameOf(key)}`,
    category: ({ key }: Labelled) => `category ${placePath(key, categories)}`,
    assignment: ({ before, after }: Labelled) => {
      const { attributeId, categoryId } = after ?? before ?? {};
      return `assignment of ${nameOf(attributeId)} to ${placePath(String(categoryId), categories)}`;
    },
    mapping: ({ key }: Labelled) => `mapping ${key}`,
  };
  return (definition) => storable(labels[definition.kind](definition), MOST_CHARACTERS);
}
