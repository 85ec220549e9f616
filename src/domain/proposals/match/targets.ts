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
}

type Fixed = readonly [name: string, as: Target['as'], concept: Concept | null];

/** The columns that files of a type have besides attributes, with what stands for them in files of shops. */
const FIXED: Readonly<Record<ProfileFileType, readonly Fixed[]>> = {
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
  readonly all: Target[] = [];
  readonly #byKey = new Map<string, Target[]>();
  readonly #byAlias = new Map<string, Target>();
  readonly #byLoose = new Map<string, Target[]>();
  readonly #byConcept = new Map<Concept, Target[]>();
  /** By the digits in their names and their length. */
  readonly #bySize = new Map<string, Target[]>();

  private constructor() {}

  /**
   * Makes the keys of all columns that files of a type may have.
   * @param aliases other names of them, by their own names
   * @param pause is called often
   */
  static async of(
    { attributes, mappings }: SiteDefinitions,
    fileType: ProfileFileType,
    aliases: Readonly<Record<string, readonly string[]>>,
    pause: () => Promise<void>,
  ): Promise<Targets> {
    const targets = new Targets();
    for (const [name, as, concept] of FIXED[fileType]) targets.#add(name, as, null, concept);
    if (fileType === 'ITEM_IMPORT' || fileType === 'BUNDLE_IMPORT') {
      const category = targets.all.find(({ as }) => as === 'category') as Target;
      add(targets.#byKey, 'hierarchy node', category);
      for (const [index, definition] of attributes.entries()) {
        if (index % 32 === 31) await pause();
        const { name, id } = definition;
        targets.#add(name, id === mappings.sku ? 'key' : 'attribute', definition, conceptOf(name));
      }
    }
    for (const [name, others] of Object.entries(aliases)) {
      const target = targets.#byKey.get(attributeKey(name))?.[0];
      if (target !== undefined) for (const alias of others) targets.#byAlias.set(attributeKey(alias), target);
    }
    return targets;
  }

  #add(name: string, as: Target['as'], definition: AttributeDefinition | null, concept: Concept | null): void {
    const loose = looseKey(name);
    const target: Target = { name, as, definition, loose, letters: lettersOf(loose) };
    this.all.push(target);
    add(this.#byKey, attributeKey(name), target);
    add(this.#byLoose, loose, target);
    if (concept !== null) add(this.#byConcept, concept, target);
    add(this.#bySize, sizeKey(loose, loose.length), target);
    for (const locale of definition?.locales ?? []) add(this.#byKey, attributeKey(locale.name), target);
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

/** Names that differ in their digits are different columns: `Image 1` and `Image 2`. */
function sizeKey(loose: string, length: number): string {
  return `${length} ${loose.replaceAll(/\P{N}+/gu, ' ').trim()}`;
}

function add<Key>(map: Map<Key, Target[]>, key: Key, target: Target): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [target]);
  else if (!known.includes(target)) known.push(target);
}
