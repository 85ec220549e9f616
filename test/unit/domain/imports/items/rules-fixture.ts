/** A small site for the tests of this folder: attributes by name, categories by path, drafts as their readers make them. */
import assert from 'node:assert/strict';
import type {
  AttributeDefinition,
  AttributeMapping,
} from '../../../../../src/domain/catalog/model/attribute-definition.js';
import type { ValueFormat } from '../../../../../src/domain/catalog/model/compiled-attribute.js';
import type { DefinitionCategory } from '../../../../../src/domain/catalog/site-definitions.js';
import { ItemRules } from '../../../../../src/domain/imports/items/item-rules.js';
import { DraftBuilder } from '../../../../../src/domain/imports/items/read/draft-builder.js';
import type { DraftOutcome } from '../../../../../src/domain/imports/items/read/draft-outcome.js';
import type { ItemDraft } from '../../../../../src/domain/imports/items/read/item-draft.js';
import { itemElementReader } from '../../../../../src/domain/imports/items/read/read-item-element.js';

export interface SiteFixture {
  readonly attributes: readonly (Partial<AttributeDefinition> & { name: string })[];
  /** Path of a leaf under the root → names; a `!` behind one makes it mandatory. */
  readonly categories: Readonly<Record<string, readonly string[]>>;
  readonly mappings?: Partial<Record<AttributeMapping, string>>;
  readonly format?: Partial<ValueFormat>;
}

/** The id of the attribute at a place of the list. */
export function idOf(position: number): string {
  return String(position).padStart(24, '0');
}

export function rulesOf({ attributes, categories, mappings = {}, format }: SiteFixture): ItemRules {
  const definitions = attributes.map(
    (fields, position): AttributeDefinition => ({
      id: idOf(position),
      type: 'TEXT',
      position,
      validation: {},
      ...fields,
    }),
  );
  const idByName = (name: string) => {
    const found = definitions.find((definition) => definition.name === name);
    assert.ok(found !== undefined, `the fixture has an attribute ${name}`);
    return found.id;
  };
  const mapped = Object.entries(mappings).map(([part, name]) => [part, idByName(name)]);
  return new ItemRules(
    {
      version: 1,
      attributes: definitions,
      mappings: Object.fromEntries(mapped),
      categories: categoriesOf(categories, idByName),
    },
    { decimalSeparator: '.', ...format },
  );
}

/** Node 1 is the root; others are numbered as their paths are met. */
function categoriesOf(paths: SiteFixture['categories'], idByName: (name: string) => string): DefinitionCategory[] {
  const nodes = new Map<string, DefinitionCategory>();
  const add = (path: string, name: string, parentNodeId: number | null, names: readonly string[], leaf: boolean) => {
    const nodeId = nodes.size + 1;
    const attributes = names.map((given) => ({
      attributeId: idByName(given.replace('!', '')),
      mandatory: given.endsWith('!'),
      inherited: false,
    }));
    nodes.set(path, { nodeId, id: `c${nodeId}`.padStart(24, '0'), parentNodeId, name, active: true, leaf, attributes });
    return nodeId;
  };
  const root = add('', 'PRIMARY', null, [], false);
  for (const [path, names] of Object.entries(paths)) {
    let parent = root;
    const parts = path.split('->');
    parts.forEach((name, depth) => {
      const own = parts.slice(0, depth + 1).join('->');
      const leaf = depth === parts.length - 1;
      parent = nodes.get(own)?.nodeId ?? add(own, name, parent, leaf ? names : [], leaf);
    });
  }
  return [...nodes.values()];
}

/** What an element says. */
export function readElement(rules: ItemRules, element: unknown, row = 1): DraftOutcome {
  const read = itemElementReader(new DraftBuilder(rules), 0);
  return read({ row, text: JSON.stringify(element) ?? '', element, problem: null });
}

export function draftOf(rules: ItemRules, element: unknown, row = 1): ItemDraft {
  const { draft, problems } = readElement(rules, element, row);
  assert.ok(draft !== null, JSON.stringify(problems));
  return draft;
}
