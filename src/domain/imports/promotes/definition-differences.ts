/** Finds the definitions in which a stage lacks what another one has, or has it otherwise. */
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { DefinitionKind, Image } from '../../changes/model/definition-image.js';
import { storable } from '../../kernel/characters.js';
import { presentDefinitions } from '../reverts/present-definitions.js';
import type { ComparedStages } from './differences.js';
import { optionsOf, type StageMaps } from './stage-maps.js';

/** One difference. All ids are those of the target. */
export interface DefinitionDifference {
  readonly kind: DefinitionKind;
  /** By which the change log of the target knows it. */
  readonly key: string;
  /** What messages call it. */
  readonly label: string;
  /** What it is in the source, without what is not compared. Null: an assignment that is not there. */
  readonly source: Image | null;
  /** What it has besides when it is created: its order, its next serial number. */
  readonly initial: Image;
  /** What it is in the target. Null: it is not there. */
  readonly present: Image | null;
  /** When it was found. */
  readonly at: string;
}

type Wanted = Pick<DefinitionDifference, 'kind' | 'key' | 'label' | 'source' | 'initial'>;

const MOST_CHARACTERS = 200;

/**
 * In an order in which they can be carried over: attributes, categories after their parents, assignments, mappings. What
 * only the target has is no difference, but for assignments of attributes to categories that both have. The order of
 * definitions is not compared.
 */
export async function definitionDifferences(
  trx: Knex.Transaction,
  stages: ComparedStages,
  maps: StageMaps,
): Promise<DefinitionDifference[]> {
  const wanted = await wantedDefinitions(trx, stages, maps);
  const known = new Set(wanted.map(nameOf));
  const all = [...wanted, ...(await assignmentsBesides(trx, stages, maps, known))];
  const present = await presentDefinitions(trx, stages.targetId, all);
  const at = new Date().toISOString();
  return all.flatMap((one): DefinitionDifference[] => {
    const there = present.get(nameOf(one)) ?? null;
    return isAlike(one.source, there) ? [] : [{ ...one, present: there, at }];
  });
}

/** `kind key` → what each of them is in the source now; null: nothing. */
export async function sourcesOf(
  trx: Knex.Transaction,
  stages: ComparedStages,
  maps: StageMaps,
): Promise<ReadonlyMap<string, Image | null>> {
  return new Map((await wantedDefinitions(trx, stages, maps)).map((one) => [nameOf(one), one.source]));
}

export function nameOf({ kind, key }: Pick<Wanted, 'kind' | 'key'>): string {
  return `${kind} ${key}`;
}

/** Whether a definition has all members that it is to have. */
export function isAlike(source: Image | null, present: Image | null): boolean {
  if (source === null || present === null) return source === present;
  return Object.entries(source).every(([name, value]) => isDeepStrictEqual(value, present[name]));
}

/** The options that an attribute has only in the target. */
export function optionsBesides({ kind, source, present }: DefinitionDifference): string[] {
  if (kind !== 'attribute' || source === null || present === null || source.type !== present.type) return [];
  const own = new Set(optionsOf(source.definition));
  return optionsOf(present.definition).filter((option) => !own.has(option));
}

async function wantedDefinitions(
  trx: Knex.Transaction,
  { sourceId }: Pick<ComparedStages, 'sourceId'>,
  maps: StageMaps,
): Promise<Wanted[]> {
  const { sourceAttributes, sourceCategories } = maps;
  const mapped = (ids: Readonly<Record<string, string>>, id: string) => ids[id] ?? id;
  const names = new Map(sourceAttributes.map(({ id, name }) => [mapped(maps.attributes, id), name]));
  const paths = new Map(sourceCategories.map(({ id, path }) => [mapped(maps.places, id), path]));
  const wanted: Wanted[] = [];
  const add = (kind: DefinitionKind, key: string, label: string, source: Image, initial: Image = {}) => {
    wanted.push({ kind, key, label: storable(`${kind} ${label}`, MOST_CHARACTERS), source, initial });
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

function assignmentsOf(trx: Knex.Transaction, siteId: number): Promise<Assignment[]> {
  return trx('category_attribute AS held')
    .join('category', 'category.id', 'held.category_id')
    .where('category.site_id', siteId)
    .orderBy(['category.depth', 'held.category_id', 'held.position', 'held.attribute_id'])
    .select('held.category_id', 'held.attribute_id', 'held.mandatory', 'held.position');
}

/** Assignments that only the target has, although the source has their attribute and their category. */
async function assignmentsBesides(
  trx: Knex.Transaction,
  { targetId }: ComparedStages,
  { attributes, places, sourceAttributes, sourceCategories }: StageMaps,
  known: ReadonlySet<string>,
): Promise<Wanted[]> {
  const names = new Map(sourceAttributes.map(({ id, name }) => [attributes[id], name]));
  const paths = new Map(sourceCategories.map(({ id, path }) => [places[id], path]));
  const held = await assignmentsOf(trx, targetId);
  return held.flatMap(({ category_id: c, attribute_id: a }): Wanted[] => {
    const one = { kind: 'assignment', key: `${c}/${a}` } as const;
    const [name, path] = [names.get(a), paths.get(c)];
    if (name === undefined || path === undefined || known.has(nameOf(one))) return [];
    return [
      { ...one, label: storable(`assignment of ${name} to ${path}`, MOST_CHARACTERS), source: null, initial: {} },
    ];
  });
}
