/** Which definitions a stage is to have, because another one has them. */
import type { Knex } from 'knex';
import type { DefinitionKind, Image } from '../../changes/model/definition-image.js';
import { storable } from '../../kernel/characters.js';
import type { ComparedStages } from './differences.js';
import type { StageMaps } from './stage-maps.js';

/** A definition of the source. All ids are those of the target. */
export interface WantedDefinition {
  readonly kind: DefinitionKind;
  /** By which the change log of the target knows it. */
  readonly key: string;
  /** What messages call it. */
  readonly label: string;
  /** What it is in the source, without what is not compared. Null: an assignment that is not there. */
  readonly source: Image | null;
  /** What it has besides when it is created: its order, its next serial number. */
  readonly initial: Image;
}

export const MOST_LABEL_CHARACTERS = 200;

/** `kind key` → what each of them is in the source now; null: nothing. */
export async function sourcesOf(
  trx: Knex.Transaction,
  stages: ComparedStages,
  maps: StageMaps,
): Promise<ReadonlyMap<string, Image | null>> {
  return new Map((await wantedDefinitions(trx, stages, maps)).map((one) => [nameOf(one), one.source]));
}

export function nameOf({ kind, key }: { readonly kind: string; readonly key: string }): string {
  return `${kind} ${key}`;
}

export async function wantedDefinitions(
  trx: Knex.Transaction,
  { sourceId }: Pick<ComparedStages, 'sourceId'>,
  maps: StageMaps,
): Promise<WantedDefinition[]> {
  const { sourceAttributes, sourceCategories } = maps;
  const mapped = (ids: Readonly<Record<string, string>>, id: string) => ids[id] ?? id;
  const names = new Map(sourceAttributes.map(({ id, name }) => [mapped(maps.attributes, id), name]));
  const paths = new Map(sourceCategories.map(({ id, path }) => [mapped(maps.places, id), path]));
  const wanted: WantedDefinition[] = [];
  const add = (kind: DefinitionKind, key: string, label: string, source: Image, initial: Image = {}) => {
    wanted.push({ kind, key, label: storable(`${kind} ${label}`, MOST_LABEL_CHARACTERS), source, initial });
  };
  for (const { id, name, type, definition, serial_next: next } of sourceAttributes) {
    const initial = next === null ? {} : { serialNext: Number(next) };
    add('attribute', mapped(maps.attributes, id), name, { name, type, definition }, initial);
  }
  for (const { id, parent_id: parent, tree, name, active, path, sort_order: order } of sourceCategories) {
    const parentId = parent === null ? null : mapped(maps.places, parent);
    add('category', mapped(maps.places, id), path, { parentId, tree, name, active }, { order });
  }
  for (const { category_id: c, attribute_id: a, mandatory, position } of await assignmentsOf(trx, sourceId)) {
    const [categoryId, attributeId] = [mapped(maps.places, c), mapped(maps.attributes, a)];
    const label = `of ${names.get(attributeId)} to ${paths.get(categoryId)}`;
    add('assignment', `${categoryId}/${attributeId}`, label, { categoryId, attributeId, mandatory }, { position });
  }
  const mappings: { mapping: string; attribute_id: string; required: boolean }[] = await trx('attribute_mapping')
    .where({ site_id: sourceId })
    .orderBy('mapping')
    .select('mapping', 'attribute_id', 'required');
  for (const { mapping, attribute_id: id, required } of mappings) {
    add('mapping', mapping, mapping, { attributeId: mapped(maps.attributes, id), required });
  }
  return wanted;
}

interface Assignment {
  readonly category_id: string;
  readonly attribute_id: string;
  readonly mandatory: boolean;
  readonly position: number;
}

export function assignmentsOf(trx: Knex.Transaction, siteId: number): Promise<Assignment[]> {
  return trx('category_attribute AS held')
    .join('category', 'category.id', 'held.category_id')
    .where('category.site_id', siteId)
    .orderBy(['category.depth', 'held.category_id', 'held.position', 'held.attribute_id'])
    .select('held.category_id', 'held.attribute_id', 'held.mandatory', 'held.position');
}
