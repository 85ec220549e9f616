/** What the change log keeps of a definition before and after a change: see the migration `definition-changes`. */

export type DefinitionKind = 'attribute' | 'category' | 'assignment' | 'mapping';

/** All that defines it. Its members are those that the triggers of its table write. */
export type Image = Readonly<Record<string, unknown>>;

/** Members that are no part of the definition, or that follow from others. */
const NOT_COMPARED: Readonly<Record<DefinitionKind, readonly string[]>> = {
  attribute: ['createdAt', 'serialNext'],
  category: ['createdAt', 'parentNodeId'],
  // The node of a category that is deleted in the same statement is not known any more.
  assignment: ['nodeId'],
  mapping: [],
};

/** Whether two images are of the same definition. Both come from jsonb, whose members are in one order. */
export function isSameImage(kind: DefinitionKind, one: Image | null | undefined, other: Image | null | undefined) {
  return comparable(kind, one) === comparable(kind, other);
}

function comparable(kind: DefinitionKind, image: Image | null | undefined): string {
  if (image === null || image === undefined) return '';
  const ignored = NOT_COMPARED[kind];
  return JSON.stringify(Object.entries(image).filter(([name]) => !ignored.includes(name)));
}
