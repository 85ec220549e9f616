/** The properties in which a definition differs before and after a change. */
import type { schemas } from '@longshore/client';

export interface PropertyChange {
  readonly key: string;
  readonly kind: schemas.Change['kind'];
  readonly operation: schemas.Change['operation'];
  readonly name: string;
  readonly property: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A list that is written longer than this is shown by what differs in it. */
const LONGEST_LIST = 100;
/** What says nothing to people: it follows from what was done, or only programs know it. */
const NOT_SHOWN = new Set(['id', 'createdAt', 'serialNext', 'nodeId', 'parentNodeId', 'parentId', 'attributeId']);

/**
 * One line for each property that changes, or that a new definition has besides its name; what is empty before and after
 * is no line. What is deleted goes as a whole: like a definition without any property, it has one line.
 */
export function differencesOf(change: schemas.Change): readonly PropertyChange[] {
  const { kind, operation, definition } = change;
  if (definition === null) return [];
  const { id, name, before, after } = definition;
  const properties = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const lines = [...properties].flatMap((property): PropertyChange[] => {
    const [was, is] = [plain(before?.[property]), plain(after?.[property])];
    if (operation === 'DELETED' || (operation === 'CREATED' && property === 'name')) return [];
    if (NOT_SHOWN.has(property) || JSON.stringify(was) === JSON.stringify(is)) return [];
    const [old, now] = listsOf(was, is);
    return [{ key: `${kind} ${id} ${property}`, ...{ kind, operation, name, property }, before: old, after: now }];
  });
  if (lines.length > 0) return lines;
  return [{ key: `${kind} ${id}`, ...{ kind, operation, name }, property: '', before: null, after: null }];
}

/** Nothing is nothing, however it is written. */
function plain(value: unknown): unknown {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'object' && Object.keys(value).length === 0 ? null : value;
}

/** Long lists begin alike for the most part: only what one of them has alone is shown, after an ellipsis. */
function listsOf(before: unknown, after: unknown): readonly [unknown, unknown] {
  if (!(Array.isArray(before) && Array.isArray(after))) return [shown(before), shown(after)];
  if (JSON.stringify(before).length + JSON.stringify(after).length <= LONGEST_LIST)
    return [shown(before), shown(after)];
  const texts = (list: readonly unknown[]) => new Set(list.map((one) => JSON.stringify(one)));
  const [old, now] = [texts(before), texts(after)];
  const left = before.filter((one) => !now.has(JSON.stringify(one)));
  const added = after.filter((one) => !old.has(JSON.stringify(one)));
  // Another order of the same.
  if (left.length + added.length === 0) return [shown(before), shown(after)];
  return [shown(['…', ...left]), shown(['…', ...added])];
}

/** A list of texts and numbers as people write it. */
function shown(value: unknown): unknown {
  if (!Array.isArray(value) || value.some((one) => typeof one === 'object')) return value;
  return value.join(', ');
}
