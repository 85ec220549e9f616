/** The columns of ours that a column of a file can be, found by their names in any spelling. */
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import type { SiteDefinitions } from '../../catalog/site-definitions.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import type { ProfileFileType } from '../../profiles/model/profile.js';
import type { Concept } from './dictionary.js';
import { conceptOf, lettersOf, looseKey } from './name-keys.js';

export interface Target {
  readonly name: string;
  readonly as: 'key' | 'category' | 'parent' | 'items' | 'attribute';
  /** Null for columns that are no attributes. */
  readonly definition: AttributeDefinition | null;
  readonly loose: string;
  /** The letters of `loose`, as bits. */
  readonly letters: number;
  readonly concept: Concept | null;
}

type Fixed = readonly [name: string, as: Target['as'], concept: Concept | null];

/** The columns that files of a type have besides attributes, with what stands for them in files of shops. */
export const FIXED: Readonly<Record<ProfileFileType, readonly Fixed[]>> = {
  ITEM_IMPORT: [
    ['SKU', 'key', 'sku'],
    ['Category Node', 'category', 'category'],
    ['Parent SKU', 'parent', 'parent'],
  ],
  BUNDLE_IMPORT: [
    ['SKU', 'key', 'sku'],
    ['Category Node', 'category', 'category'],
    ['Items', 'items', 'bundleItems'],
  ],
  ATTRIBUTE_IMPORT: [
    ['Attribute Title', 'key', 'name'],
    ['Type of Attribute', 'attribute', 'attributeType'],
    ['Description', 'attribute', 'description'],
    ['Locales', 'attribute', null],
    ['Mandatory', 'attribute', null],
    ['Unique', 'attribute', null],
    ['Max Length', 'attribute', null],
  ],
  CATEGORY_IMPORT: [
    ['Category Path', 'key', 'category'],
    ['Type', 'attribute', 'attributeType'],
    ['Order', 'attribute', 'order'],
    ['Active', 'attribute', 'active'],
    ['Item Attributes', 'attribute', null],
  ],
};

export class Targets {
  readonly all: readonly Target[];
  readonly #byKey = new Map<string, Target[]>();
  readonly #byAlias = new Map<string, Target>();
  readonly #byLoose = new Map<string, Target[]>();
  readonly #byConcept = new Map<Concept, Target[]>();
  /** By the digits in their names and their length. */
  readonly #bySize = new Map<string, Target[]>();

  /** Call `prepare` before anything else. */
  constructor(
    readonly definitions: SiteDefinitions,
    readonly fileType: ProfileFileType,
    readonly aliases: Readonly<Record<string, readonly string[]>>,
  ) {
    const fixed = FIXED[fileType].map(
      ([name, as, concept]): Target => ({ name, as, definition: null, concept, ...keysOf(name) }),
    );
    const hasAttributes = fileType === 'ITEM_IMPORT' || fileType === 'BUNDLE_IMPORT';
    const sku = definitions.mappings.sku;
    const attributes = (hasAttributes ? definitions.attributes : []).map((definition): Target => {
      const { name, id } = definition;
      return { name, as: id === sku ? 'key' : 'attribute', definition, concept: null, ...keysOf(name) };
    });
    this.all = [...fixed, ...attributes];
  }

  /** Makes the keys of all targets. @param pause is called often */
  async prepare(pause: () => Promise<void>): Promise<void> {
    for (const [index, target] of this.all.entries()) {
      if (index % 64 === 63) await pause();
      add(this.#byKey, attributeKey(target.name), target);
      add(this.#byLoose, target.loose, target);
      const concept = target.concept ?? (target.definition === null ? null : conceptOf(target.name));
      if (concept !== null) add(this.#byConcept, concept, target);
      add(this.#bySize, sizeKey(target.loose, target.loose.length), target);
      for (const { name } of target.definition?.locales ?? []) add(this.#byKey, attributeKey(name), target);
    }
    if (this.fileType === 'ITEM_IMPORT' || this.fileType === 'BUNDLE_IMPORT') {
      const category = this.all.find(({ as }) => as === 'category') as Target;
      add(this.#byKey, 'hierarchy node', category);
    }
    for (const [name, aliases] of Object.entries(this.aliases)) {
      const target = this.#byKey.get(attributeKey(name))?.[0];
      if (target !== undefined) for (const alias of aliases) this.#byAlias.set(attributeKey(alias), target);
    }
  }

  /** The target of exactly this name, in any case; its own name goes before names in other languages. */
  named(name: string): readonly Target[] {
    const found = this.#byKey.get(attributeKey(name)) ?? [];
    const own = found.find((target) => attributeKey(target.name) === attributeKey(name));
    return own === undefined ? found : [own];
  }

  aliased(name: string): Target | undefined {
    return this.#byAlias.get(attributeKey(name));
  }

  spelled(loose: string): readonly Target[] {
    return this.#byLoose.get(loose) ?? [];
  }

  meaning(concept: Concept): readonly Target[] {
    return this.#byConcept.get(concept) ?? [];
  }

  /** Those whose names may be misspelt so: with the same digits, and nearly as long. */
  *near(loose: string, changes: number): Generator<Target, void, undefined> {
    for (let length = loose.length - changes; length <= loose.length + changes; length += 1) {
      yield* this.#bySize.get(sizeKey(loose, length)) ?? [];
    }
  }
}

function keysOf(name: string): Pick<Target, 'loose' | 'letters'> {
  const loose = looseKey(name);
  return { loose, letters: lettersOf(loose) };
}

/** Names that differ in their digits are different columns: `Image 1` and `Image 2`. */
function sizeKey(loose: string, length: number): string {
  return `${length} ${loose.replaceAll(/\P{N}+/gu, ' ').trim()}`;
}

function add<Key>(map: Map<Key, Target[]>, key: Key, target: Target): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [target]);
  else if (!known.includes(target)) known.push(target);
}
