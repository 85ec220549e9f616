/** How the API shows a definition as it was before or after a change: by names and node ids, without inner ids. */
import type { ChangeEntry } from '../../changes/change-entry.js';
import { definitionFromColumns } from '../attribute-record.js';
import { presentAttribute } from '../attributes/present-attribute.js';

export interface NamedDefinition {
  /** The id of the attribute or category; of an assignment both, of a mapping its name. */
  readonly id: string;
  /** Null: there was none. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** Null: there is none. */
  readonly after: Readonly<Record<string, unknown>> | null;
}

type Image = Readonly<Record<string, unknown>>;
/** Ids of attributes → their present names. */
type Names = ReadonlyMap<string, string>;

/** The ids of the attributes to which definitions refer. */
export function attributesNamedBy(entries: readonly ChangeEntry[]): string[] {
  return entries.flatMap(({ kind, definition }) => {
    if (definition === null || (kind !== 'assignment' && kind !== 'mapping')) return [];
    return [definition.before, definition.after].flatMap((image) => (image === null ? [] : String(image.attributeId)));
  });
}

export function nameDefinition({ kind, definition }: ChangeEntry, names: Names): NamedDefinition | null {
  if (definition === null) return null;
  const { key: id, before, after } = definition;
  const show = (image: Image | null) => (image === null ? null : shown(kind, id, image, names));
  return { id, before: show(before), after: show(after) };
}

function shown(kind: ChangeEntry['kind'], id: string, image: Image, names: Names): Image {
  if (kind === 'attribute') return attributeShown(id, image);
  if (kind === 'category') {
    const { nodeId, parentNodeId, tree, name, order, active } = image;
    return { nodeId, parentNodeId, type: tree, name, order, active };
  }
  const attributeId = String(image.attributeId);
  const attribute = names.get(attributeId) ?? attributeId;
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
