/** How the API shows a definition as it was before or after a change: by names and node ids, without inner ids. */
import type { Db } from '../../../../db/connection.js';
import type { ChangeEntry } from '../../changes/change-entry.js';
import { isSurrounding } from '../../changes/surrounding-entries.js';
import { definitionFromColumns } from '../attribute-record.js';
import { presentAttribute } from '../attributes/present-attribute.js';
import { loadPlaces, type Place, placePath } from '../categories/place-categories.js';
import { surroundingName, surroundingShown } from './named-surroundings.js';

export interface NamedDefinition {
  /** The id; of an assignment that of the attribute and that of the category, of a mapping its name, of the settings `settings`. */
  readonly id: string;
  /** What people call it today, or called it last: `Colour`, `Paper->A4`, `Colour to Paper->A4`, `title`; a webhook definition by its target. */
  readonly name: string;
  /** Null: there was none. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** Null: there is none. */
  readonly after: Readonly<Record<string, unknown>> | null;
}

type Image = Readonly<Record<string, unknown>>;

/** Ids → names. */
export interface DefinitionNames {
  readonly attributes: ReadonlyMap<string, string>;
  readonly categories: ReadonlyMap<string, Place>;
}

/** The ids of the attributes that are definitions, or to which definitions refer. */
export function attributesNamedBy(entries: readonly ChangeEntry[]): string[] {
  return entries.flatMap(({ kind, definition }) => {
    if (definition === null || kind === 'category' || isSurrounding(kind)) return [];
    if (kind === 'attribute') return [definition.key];
    return imagesOf(definition).map(({ attributeId }) => String(attributeId));
  });
}

/** @param attributes the names of those that are there @returns also the names of what is not, as far as entries know them */
export async function definitionNames(
  db: Db,
  siteId: number,
  entries: readonly ChangeEntry[],
  attributes: ReadonlyMap<string, string>,
): Promise<DefinitionNames> {
  const last = new Map<string, string>();
  const places = new Map<string, Place>();
  const ids = new Set<string>();
  for (const { kind, definition } of entries) {
    if (definition === null || isSurrounding(kind)) continue;
    for (const image of imagesOf(definition)) {
      if (kind === 'attribute') last.set(definition.key, String(image.name));
      if (kind === 'category') places.set(definition.key, placeOf(image));
      for (const id of [image.parentId, image.categoryId]) if (typeof id === 'string') ids.add(id);
    }
    if (kind === 'category') ids.add(definition.key);
  }
  for (const [id, place] of await loadPlaces(db, siteId, ids)) places.set(id, place);
  return { attributes: new Map([...last, ...attributes]), categories: places };
}

/** The comparison of stages names a parent that the stage lacks by its path. */
function placeOf({ name, parentId, parentNodeId }: Image): Place {
  const parentPath = typeof parentNodeId === 'string' ? parentNodeId : undefined;
  return { name: String(name), parentId: typeof parentId === 'string' ? parentId : null, parentPath };
}

function imagesOf({ before, after }: NonNullable<ChangeEntry['definition']>): Image[] {
  return [before, after].filter((image) => image !== null);
}

export function nameDefinition({ kind, definition }: ChangeEntry, names: DefinitionNames): NamedDefinition | null {
  if (definition === null) return null;
  const { key: id, before, after } = definition;
  const show = (image: Image | null) => (image === null ? null : shown(kind, id, image, names));
  return { id, name: nameOf(kind, definition, names), before: show(before), after: show(after) };
}

function nameOf(
  kind: ChangeEntry['kind'],
  definition: NonNullable<ChangeEntry['definition']>,
  { attributes, categories }: DefinitionNames,
): string {
  const { key } = definition;
  if (isSurrounding(kind)) return surroundingName(kind, key, imagesOf(definition));
  if (kind === 'attribute') return attributes.get(key) ?? key;
  if (kind === 'category') return placePath(key, categories);
  if (kind !== 'assignment') return key;
  const [{ attributeId, categoryId, nodeId } = {}] = imagesOf(definition).reverse() as Image[];
  // The comparison of stages names what the stage lacks.
  const path = typeof nodeId === 'string' ? nodeId : placePath(String(categoryId), categories);
  return `${attributes.get(String(attributeId)) ?? attributeId} to ${path}`;
}

function shown(kind: ChangeEntry['kind'], id: string, image: Image, { attributes }: DefinitionNames): Image {
  if (isSurrounding(kind)) return surroundingShown(kind, image);
  if (kind === 'attribute') return attributeShown(id, image);
  if (kind === 'category') {
    const { nodeId, parentNodeId, tree, name, order, active } = image;
    return { nodeId, parentNodeId, type: tree, name, order, active };
  }
  const attributeId = String(image.attributeId);
  const attribute = attributes.get(attributeId) ?? attributeId;
  if (kind === 'mapping') return { mapping: id, attribute, required: image.required };
  const { nodeId, mandatory, position } = image;
  return { nodeId, attribute, mandatory, position };
}

function attributeShown(id: string, image: Image): Image {
  const { name, type, position, definition } = image as Omit<Parameters<typeof definitionFromColumns>[0], 'id'>;
  const never = new Date(0);
  const { createdOn, modifiedOn, ...all } = presentAttribute(
    definitionFromColumns({ id, name, type, position, definition }),
    never,
    never,
  );
  return { ...all };
}
