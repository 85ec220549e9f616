/** Decides what of the missing definitions a site still lacks, and how it is created. It is a pure function. */

import { PRIMARY_ROOT_NAME } from '../../catalog/categories/category-name.js';
import { formatPath } from '../../catalog/categories/category-path.js';
import { categoriesByPlace, placeKey } from '../../catalog/categories/category-places.js';
import { placeOfPath } from '../../catalog/categories/place-of-path.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import type { SiteDefinitions } from '../../catalog/site-definitions.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { canonicalDecimal } from '../../kernel/exact-decimal.js';
import { quoted } from '../../kernel/value-problem.js';
import type { MissingDefinitions } from '../kept/missing-definitions.js';
import type { ImportOptions } from '../model/import-options.js';

type Element = Readonly<Record<string, unknown>>;
type Value = string | number;

/** What is to be created, as elements of the requests that create such definitions. */
interface MissingPlan {
  /** New attributes, and attributes that get further options. */
  readonly attributes: readonly Element[];
  /** New categories with the attributes assigned to them, parents before their children. */
  readonly categories: readonly Element[];
  /** Attributes, by name, for categories that exist. */
  readonly assigned: readonly { readonly nodeId: number; readonly attributes: readonly string[] }[];
  readonly created: NonNullable<ImportOptions['created']>;
  /** Why something cannot be created, a sentence each. Nothing is created if there is one. */
  readonly problems: readonly string[];
}

export function decideMissing(definitions: SiteDefinitions, missing: MissingDefinitions): MissingPlan {
  const problems: string[] = [];
  const attributes = decideAttributes(definitions, missing, problems);
  const categories = decideCategories(definitions, missing, attributes.names, problems);
  return {
    attributes: attributes.elements,
    categories: categories.elements,
    assigned: categories.assigned,
    created: {
      attributes: attributes.created,
      options: attributes.options,
      categories: categories.elements.length,
      assignments: categories.assignments,
    },
    problems,
  };
}

function decideAttributes({ attributes }: SiteDefinitions, missing: MissingDefinitions, problems: string[]) {
  const existing = new Map(attributes.map((definition) => [attributeKey(definition.name), definition]));
  const created = new Map<string, Element>();
  for (const element of missing.attributes) {
    const key = attributeKey(String(element.name ?? ''));
    const present = existing.get(key);
    if (present === undefined) created.set(key, element);
    else if (present.type !== element.type) {
      problems.push(
        `the attribute ${quoted(present.name)} exists already as ${present.type}, and the import would create it as ${String(element.type)}: map the column to another attribute, or leave this one out of "missing"`,
      );
    }
  }
  const updates: Element[] = [];
  let options = 0;
  for (const { attribute, values } of missing.options) {
    const key = attributeKey(attribute);
    const fresh = created.get(key);
    const present = existing.get(key);
    const type = fresh?.type ?? present?.type;
    if (type !== 'OPTIONS') {
      const reason =
        type === undefined
          ? 'there is no attribute of that name, and none is created'
          : `it is ${String(type)}, and only OPTIONS attributes have options`;
      problems.push(`options cannot be added to ${quoted(attribute)}: ${reason}`);
    } else if (fresh !== undefined) {
      const own = listed(fresh);
      const added = lacking(own, values, fresh.optionsType);
      created.set(key, { ...fresh, options: [...own, ...added], ...withoutOneOf(fresh) });
      options += added.length;
    } else if (present !== undefined) {
      const own = present.options ?? [];
      const added = lacking(own, values, present.optionsType);
      if (added.length === 0) continue;
      updates.push({ action: 'UPDATE', name: present.name, options: [...own, ...added] });
      existing.set(key, { ...present, options: [...own, ...added.map(String)] });
      options += added.length;
    }
  }
  const names = new Set([...existing.keys(), ...created.keys()]);
  const byKey = new Map<string, AttributeDefinition>(existing);
  return { elements: [...created.values(), ...updates], created: created.size, options, names: { names, byKey } };
}

/** The options of a new attribute, whichever of their two names it gives them. */
function listed({ options, validation }: Element): readonly Value[] {
  if (Array.isArray(options) && options.length > 0) return options;
  const { oneOf }: { oneOf?: unknown } = Object(validation);
  return Array.isArray(oneOf) ? oneOf : [];
}

/** `validation.oneOf` is another name of the options, and would contradict them once one is added. */
function withoutOneOf({ validation }: Element): Element {
  if (typeof validation !== 'object' || validation === null) return {};
  const { oneOf: _, ...others }: { oneOf?: unknown } = { ...validation };
  return { validation: others };
}

/** The values that are not among the options yet, each once. */
function lacking(options: readonly Value[], values: readonly Value[], optionsType: unknown): Value[] {
  const isNumeric = optionsType === 'INTEGER' || optionsType === 'DECIMAL';
  const keyOf = (value: Value) => {
    const text = String(value).normalize('NFC');
    const number = isNumeric ? canonicalDecimal(text.trim(), '.') : text;
    return typeof number === 'string' ? number : text;
  };
  const known = new Set(options.map(keyOf));
  return values.filter((value) => {
    const key = keyOf(value);
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}

interface Attributes {
  /** The keys of all attributes, those that are created included. */
  readonly names: ReadonlySet<string>;
  readonly byKey: ReadonlyMap<string, AttributeDefinition>;
}

interface NewCategory {
  readonly path: string;
  /** Attribute key → name. */
  readonly attributes: Map<string, string>;
}

function decideCategories(
  { categories }: SiteDefinitions,
  missing: MissingDefinitions,
  { names: attributeKeys, byKey }: Attributes,
  problems: string[],
) {
  const existing = categoriesByPlace(categories);
  const created = new Map<string, NewCategory>();
  for (const path of missing.categories) {
    const names = namesOf(path, problems);
    for (let depth = 1; depth <= names.length; depth++) {
      const own = names.slice(0, depth);
      const key = placeKey(own);
      if (existing.has(key) || created.has(key)) continue;
      created.set(key, { path: formatPath([PRIMARY_ROOT_NAME, ...own]), attributes: new Map() });
    }
  }
  const added = new Map<number, Map<string, string>>();
  let assignments = 0;
  for (const { category: path, attributes } of missing.assignments) {
    const key = placeKey(namesOf(path, problems));
    const present = existing.get(key);
    const wanted = created.get(key)?.attributes ?? (present && madeIn(added, present.nodeId));
    if (wanted === undefined) {
      problems.push(`there is no category ${quoted(path)} to assign attributes to, and none is created`);
      continue;
    }
    const own = new Set(present?.attributes.map(({ attributeId }) => attributeId));
    for (const name of attributes) {
      const attribute = attributeKey(name);
      if (!attributeKeys.has(attribute)) {
        problems.push(
          `${quoted(name)} cannot be assigned to ${quoted(path)}: there is no such attribute, and none is created`,
        );
      } else if (!wanted.has(attribute) && !own.has(byKey.get(attribute)?.id ?? '')) {
        wanted.set(attribute, name);
        assignments++;
      }
    }
  }
  const elements = [...created.values()].map(({ path, attributes }) => ({
    path,
    ...(attributes.size > 0 ? { itemAttributes: [...attributes.values()].map((name) => ({ name })) } : {}),
  }));
  const assigned = [...added].flatMap(([nodeId, attributes]) =>
    attributes.size === 0 ? [] : [{ nodeId, attributes: [...attributes.values()] }],
  );
  return { elements, assigned, assignments };
}

function madeIn(added: Map<number, Map<string, string>>, nodeId: number): Map<string, string> {
  const known = added.get(nodeId) ?? new Map<string, string>();
  added.set(nodeId, known);
  return known;
}

/** The names below the root; none, and a problem, for a path that cannot be one. */
function namesOf(path: string, problems: string[]): readonly string[] {
  const place = placeOfPath(path, 'PRIMARY', 'path');
  if (!('code' in place)) return place.names;
  problems.push(`the category ${quoted(path)} cannot be created: ${place.message}`);
  return [];
}
