/** The columns of an item export: those of the template, or those that a request asks for. */
import type { AttributeDefinition } from '../catalog/model/attribute-definition.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { nearestName } from '../kernel/nearest-name.js';
import { ITEM_FACTS, type ItemColumn, type ItemFact } from './model/export-spec.js';
import { FIXED_HEADERS, type FixedKind } from './model/item-headers.js';

const FIXED: ReadonlyMap<string, FixedKind> = new Map([
  ...Object.entries(FIXED_HEADERS).map(([kind, header]) => [attributeKey(header), kind as FixedKind] as const),
  [attributeKey('Hierarchy Node'), 'category'],
  // The names of the fields in JSON.
  [attributeKey('nodeName'), 'category'],
  [attributeKey('parentSku'), 'parent'],
  [attributeKey('bundleItems'), 'bundleItems'],
  [attributeKey('alternateCategories'), 'alternates'],
]);
const FACTS: ReadonlyMap<string, ItemFact> = new Map(ITEM_FACTS.map((fact) => [attributeKey(fact), fact]));

/** Resolves the columns that a request names: template headers, attributes by name or id, facts with or without `_`. */
export function resolveColumns(
  names: readonly string[],
  attributes: readonly AttributeDefinition[],
): ItemColumn[] | { readonly index: number; readonly message: string } {
  const byKey = new Map(attributes.map((attribute) => [attributeKey(attribute.name), attribute]));
  const byId = new Map(attributes.map((attribute) => [attribute.id, attribute]));
  const seen = new Set<string>();
  const columns: ItemColumn[] = [];
  for (const [index, name] of names.entries()) {
    const column = resolveColumn(name, byKey, byId);
    if (column === undefined) return { index, message: unknownColumn(name, attributes) };
    const meaning = JSON.stringify(column);
    if (seen.has(meaning)) return { index, message: `the column "${name}" is named twice: name it once` };
    seen.add(meaning);
    columns.push(column);
  }
  return columns;
}

/**
 * What a rule of a profile fills: a column of our files, or an attribute by its name in any language, if only one has it.
 * @returns null when there is no such column
 */
export function resolveTarget(name: string, attributes: readonly AttributeDefinition[]): ItemColumn | null {
  const key = attributeKey(name);
  const fixed = FIXED.get(key);
  const own = attributes.find((attribute) => attributeKey(attribute.name) === key);
  if (own !== undefined) return { kind: 'attribute', attributeId: own.id };
  if (fixed !== undefined) return { kind: fixed };
  const [localised, ...others] = attributes.filter(({ locales = [] }) =>
    locales.some((locale) => attributeKey(locale.name) === key),
  );
  return localised === undefined || others.length > 0 ? null : { kind: 'attribute', attributeId: localised.id };
}

function resolveColumn(
  name: string,
  byKey: ReadonlyMap<string, AttributeDefinition>,
  byId: ReadonlyMap<string, AttributeDefinition>,
): ItemColumn | undefined {
  const key = attributeKey(name);
  const fixed = FIXED.get(key);
  // No attribute can have the name of a template header. For all other names an attribute takes precedence.
  const attribute = byKey.get(key) ?? byId.get(name);
  if (attribute !== undefined) return { kind: 'attribute', attributeId: attribute.id };
  if (fixed !== undefined) return { kind: fixed };
  const fact = FACTS.get(key.replace(/^_/, ''));
  return fact === undefined ? undefined : { kind: 'fact', fact };
}

function unknownColumn(name: string, attributes: readonly AttributeDefinition[]): string {
  const known = [
    ...Object.values(FIXED_HEADERS),
    ...attributes.map((attribute) => attribute.name),
    ...ITEM_FACTS.map((fact) => `_${fact}`),
  ];
  const nearest = nearestName(name, known, (candidate) => candidate);
  const hint =
    nearest === undefined
      ? `name an attribute, or one of ${known.slice(0, 4).join(', ')}`
      : `did you mean "${nearest}"?`;
  return `there is no column "${name.slice(0, 60)}": ${hint}`;
}
