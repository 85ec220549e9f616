/** Finds what a snapshot names: its category, its attributes and its values become conditions on stored items. */
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import { storable } from '../../kernel/characters.js';
import { nearestName } from '../../kernel/nearest-name.js';
import type { ItemRules } from '../items/item-rules.js';
import type { Snapshot } from '../kept/snapshot.js';

/** SQL on a row of `item`, with its bindings. */
interface ItemCondition {
  readonly sql: string;
  readonly bindings: Readonly<Record<string, unknown>>;
}

/** What items that the file lacks get in place of what they have. */
interface GivenValues {
  /** Name of the attribute → its value; null: cleared. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Which items it changes: the others are as they are to be. */
  readonly differs: ItemCondition;
}

/** The items that a file has all of. */
interface Scope extends ItemCondition {
  /** What it means, in whichever way the client has named it: the same for the same scope of a stage. */
  readonly key: string;
}

export interface ResolvedSnapshot {
  readonly scope: Scope;
  /** Null: they are deleted. */
  readonly values: GivenValues | null;
}

export interface SnapshotProblem {
  /** Within the option. */
  readonly path: string;
  readonly code: 'ATTRIBUTE_NOT_FOUND' | 'NODE_NOT_FOUND' | 'FEED_NOT_FOUND' | 'FIELD_INVALID' | 'VALUE_INVALID';
  readonly message: string;
}

export function resolveSnapshot(rules: ItemRules, snapshot: Snapshot): ResolvedSnapshot | SnapshotProblem[] {
  const problems: SnapshotProblem[] = [];
  const scope = scopeOf(rules, snapshot.scope, problems);
  const values = snapshot.missing === 'delete' ? null : valuesOf(rules, snapshot.missing, problems);
  return problems.length > 0 ? problems : { scope, values };
}

const NONE: ItemCondition = { sql: 'true', bindings: {} };

const STAGE: Scope = { ...NONE, key: 'stage' };

function scopeOf(rules: ItemRules, scope: Snapshot['scope'], problems: SnapshotProblem[]): Scope {
  if (scope === 'stage') return STAGE;
  if (scope === 'feed') throw new Error('a snapshot says "feed", and its feed was not named when it was accepted');
  if ('feed' in scope) {
    return {
      sql: 'EXISTS (SELECT FROM feed_item WHERE feed_item.feed_id = :scopeFeed AND feed_item.sku = item.sku)',
      bindings: { scopeFeed: scope.id ?? '' },
      key: `feed ${scope.id ?? ''}`,
    };
  }
  if ('category' in scope) {
    const top = rules.categories.resolve(scope.category);
    if (top === undefined) {
      const message = rules.categories.explainMissing(scope.category);
      problems.push({ path: 'scope.category', code: 'NODE_NOT_FOUND', message });
      return STAGE;
    }
    return {
      sql: 'item.node_id = ANY (:scopeNodes::integer[])',
      bindings: { scopeNodes: below(rules, top.nodeId) },
      key: `category ${top.nodeId}`,
    };
  }
  const position = positionOf(rules, scope.attribute, 'scope.attribute', problems);
  if (position === undefined) return STAGE;
  const { definition, fromJson } = rules.attribute(position);
  // Of an attribute with several values, one of them is enough.
  const single = fromJson(scope.value);
  const json = typeof single === 'string' ? single : fromJson([scope.value]);
  if (typeof json !== 'string') {
    const message = typeof single === 'string' ? json.message : single.message;
    problems.push({ path: 'scope.value', code: 'VALUE_INVALID', message });
    return STAGE;
  }
  const own = 'item.attributes -> :scopeAttribute';
  const inherited = `(SELECT parent.attributes -> :scopeAttribute FROM item AS parent
    WHERE parent.site_id = item.site_id AND parent.sku = item.parent_sku)`;
  const effective = rules.inheritable.includes(position) ? `coalesce(${own}, ${inherited})` : `(${own})`;
  return {
    sql: `${effective} @> :scopeValue::jsonb`,
    bindings: { scopeAttribute: definition.id, scopeValue: json },
    key: `attribute ${definition.id} ${json}`,
  };
}

/** The node ids of a category and of all below it. */
function below(rules: ItemRules, top: number): number[] {
  const children = new Map<number, number[]>();
  for (const { nodeId, parentNodeId } of rules.categories.categories) {
    if (parentNodeId === null) continue;
    const siblings = children.get(parentNodeId);
    if (siblings === undefined) children.set(parentNodeId, [nodeId]);
    else siblings.push(nodeId);
  }
  const found = [top];
  for (const nodeId of found) found.push(...(children.get(nodeId) ?? []));
  return found;
}

function valuesOf(
  rules: ItemRules,
  missing: Exclude<Snapshot['missing'], 'delete'>,
  problems: SnapshotProblem[],
): GivenValues {
  if ('set' in missing) {
    const { attribute, value } = missing.set;
    const position = changeable(rules, attribute, 'missing.set.attribute', problems);
    if (position === undefined) return { attributes: {}, differs: NONE };
    const { definition, fromJson } = rules.attribute(position);
    const json = value === '' ? { message: 'is empty: use "clear" to clear values' } : fromJson(value);
    if (typeof json !== 'string') {
      problems.push({ path: 'missing.set.value', code: 'VALUE_INVALID', message: json.message });
      return { attributes: {}, differs: NONE };
    }
    return {
      attributes: { [definition.name]: value },
      differs: {
        sql: 'item.attributes -> :setAttribute IS DISTINCT FROM :setValue::jsonb',
        bindings: { setAttribute: definition.id, setValue: json },
      },
    };
  }
  const positions = missing.clear.map((name, index) => changeable(rules, name, `missing.clear.${index}`, problems));
  const cleared = positions.flatMap((position) => (position === undefined ? [] : [rules.definition(position)]));
  return {
    attributes: Object.fromEntries(cleared.map(({ name }) => [name, null])),
    differs: {
      sql: 'jsonb_exists_any(item.attributes, :clearedAttributes::text[])',
      bindings: { clearedAttributes: cleared.map(({ id }) => id) },
    },
  };
}

/** An attribute whose values an import may change. */
function changeable(rules: ItemRules, name: string, path: string, problems: SnapshotProblem[]): number | undefined {
  const position = positionOf(rules, name, path, problems);
  if (position === undefined || !ATTRIBUTE_TYPES[rules.definition(position).type].numbersItems) return position;
  const message = `"${storable(name, 60)}" numbers the items, and its values stay: name another attribute`;
  problems.push({ path, code: 'FIELD_INVALID', message });
  return undefined;
}

function positionOf(rules: ItemRules, name: string, path: string, problems: SnapshotProblem[]): number | undefined {
  const position = rules.positionOf(name);
  if (position === undefined) {
    const nearest = nearestName(name, rules.definitions.attributes, (one) => one.name);
    const hint =
      nearest === undefined ? 'GET /api-product/v1/product/attribute lists them' : `did you mean "${nearest.name}"?`;
    const message = `there is no attribute "${storable(name, 60)}": ${hint}`;
    problems.push({ path, code: 'ATTRIBUTE_NOT_FOUND', message });
  } else if (position === rules.skuAttribute) {
    const message = `"${storable(name, 60)}" is the SKU, the key of items: name another attribute`;
    problems.push({ path, code: 'FIELD_INVALID', message });
    return undefined;
  }
  return position;
}
