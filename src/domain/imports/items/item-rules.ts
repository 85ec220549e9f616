/** A site's definitions, prepared for checking items: attributes compiled, categories indexed, look-ups cached. */

import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import { LocalizedNames } from '../../catalog/attributes/localized-names.js';
import { compileAttribute } from '../../catalog/compile-attribute.js';
import { isInherited } from '../../catalog/is-inherited.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import {
  type ByteEncoder,
  type CompiledAttribute,
  PatternWork,
  type ValueFormat,
} from '../../catalog/model/compiled-attribute.js';
import type { DefinitionCategory, SiteDefinitions } from '../../catalog/site-definitions.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { CategoryIndex } from './category-index.js';

interface Placed {
  readonly nodeId: number;
}

/**
 * Records which categories contain items, so that an empty leaf is recognised without a search for items. It belongs to
 * one version of the definitions: a statement that removes a record also increments the version. It caches committed
 * records only, so that a record that was undone with its transaction is written again.
 */
class FilledCategories {
  #known: ReadonlySet<number> = new Set();
  #isStale = true;

  /** Reads the committed records, which need not be written again. To be called outside of the writing transaction. */
  async refresh(db: Db, siteId: number): Promise<void> {
    if (!this.#isStale) return;
    this.#isStale = false;
    try {
      const nodeIds = await db('filled_category').where({ site_id: siteId }).pluck('node_id');
      this.#known = new Set(nodeIds);
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }

  /** Records the categories of items. To be called in the transaction that writes the items, before it writes them. */
  async note(trx: Knex.Transaction, siteId: number, ...items: readonly (readonly Placed[])[]): Promise<void> {
    const fresh = new Set<number>();
    for (const some of items) {
      for (const { nodeId } of some) if (!this.#known.has(nodeId)) fresh.add(nodeId);
    }
    if (fresh.size === 0) return;
    this.#isStale = true;
    // The index is not unique, so that concurrent chunks and jobs that fill the same category do not wait for each
    // other.
    await trx.raw(
      `INSERT INTO filled_category (site_id, node_id)
       SELECT :siteId, node_id FROM unnest(:nodeIds::integer[]) AS node_id
       WHERE NOT EXISTS (
         SELECT 1 FROM filled_category AS noted WHERE noted.site_id = :siteId AND noted.node_id = node_id.node_id)`,
      { siteId, nodeIds: [...fresh] },
    );
  }
}

/** How many spellings of attribute names are cached; there is no limit to how many inputs may use. */
const MAX_REMEMBERED_NAMES = 20_000;

/** What a category requires of its items, by positions in the attribute list. */
interface Requirements {
  /** 1 where the attribute may have a value. */
  readonly assigned: Uint8Array;
  /** Attributes without which an item stays DRAFT. */
  readonly mandatory: readonly number[];
  /** Attributes of the category without which it gets no item. */
  readonly required: readonly number[];
}

export interface CategoryRules extends Requirements {
  readonly category: DefinitionCategory;
  readonly path: string;
}

export class ItemRules {
  #localizedNames: LocalizedNames | undefined;
  readonly filled = new FilledCategories();
  readonly attributes: readonly CompiledAttribute[];
  /** Limits what the patterns of one row cost; reset before each row. */
  readonly patternWork = new PatternWork();
  /** Whether reading a row may take long, because values are matched with patterns. */
  readonly hasPatterns: boolean;
  readonly categories: CategoryIndex;
  /** Attributes without which no item of a category that has them is created. */
  readonly #required: readonly number[];
  /** Attributes of which no two items may share a value. */
  readonly unique: readonly number[];
  /** SERIAL attributes, which number new items. */
  readonly serials: readonly number[];
  /** Positions of the attributes mapped to `sku` and to `active`; -1 when there is none. */
  readonly skuAttribute: number;
  readonly activeAttribute: number;
  /** Position of the attribute mapped to `isVariant`; -1 when there is none. */
  readonly variantAttribute: number;
  /** Attributes whose values variants inherit from their parent, which excludes those that differ from item to item. */
  readonly inheritable: readonly number[];
  /** `"id":` and `,"id":` of each attribute, as ASCII bytes. */
  readonly #keys: readonly { readonly first: Uint8Array; readonly later: Uint8Array }[];
  readonly #encoders: readonly (ByteEncoder | null)[];
  readonly #byName = new Map<string, number>();
  readonly #byId = new Map<string, number>();
  readonly #byCategory = new Map<number, CategoryRules>();
  /** Categories that have inherited all of their attributes share one list of them, and what follows from it. */
  readonly #byAssignments = new Map<DefinitionCategory['attributes'], Requirements>();

  constructor(
    readonly definitions: SiteDefinitions,
    format: ValueFormat,
  ) {
    const measured = { ...format, patternWork: this.patternWork };
    this.attributes = definitions.attributes.map((definition) => compileAttribute(definition, measured));
    this.hasPatterns = definitions.attributes.some(({ validation }) => validation.pattern !== undefined);
    this.#keys = this.attributes.map(({ jsonKey }) => ({
      first: Buffer.from(`${jsonKey}:`),
      later: Buffer.from(`,${jsonKey}:`),
    }));
    this.#encoders = definitions.attributes.map((definition) =>
      ATTRIBUTE_TYPES[definition.type].encoder(definition, format),
    );
    this.categories = new CategoryIndex(definitions.categories);
    definitions.attributes.forEach((definition, position) => {
      this.#byName.set(attributeKey(definition.name), position);
      this.#byId.set(definition.id, position);
    });
    this.skuAttribute = this.#mapped('sku');
    this.activeAttribute = this.#mapped('active');
    this.variantAttribute = this.#mapped('isVariant');
    // The SKU attribute is filled from the key, so that it is never missing, and its uniqueness needs no reservation.
    const positions = definitions.attributes.map((_, position) => position).filter((p) => p !== this.skuAttribute);
    this.serials = positions.filter((position) => ATTRIBUTE_TYPES[this.definition(position).type].numbersItems);
    // New items get the next number, so that a SERIAL attribute is never missing either.
    this.#required = positions.filter((position) => {
      const { type, validation } = this.definition(position);
      return validation.required === true && !ATTRIBUTE_TYPES[type].numbersItems;
    });
    this.inheritable = positions.filter((position) =>
      isInherited(this.definition(position), position === this.variantAttribute),
    );
    this.unique = positions.filter((position) => this.definition(position).validation.unique === true);
  }

  /** The key of an attribute's member in a document, with the colon, and the comma unless it is the first. */
  memberKey(position: number, first: boolean): Uint8Array {
    const keys = this.#keys[position];
    if (keys === undefined) throw new RangeError(`no attribute at position ${position}`);
    return first ? keys.first : keys.later;
  }

  /**
   * The encoder that writes cells of an attribute straight into a document; null when the type has none, or when the
   * value is more than a member of the document.
   */
  byteEncoder(position: number): ByteEncoder | null {
    if (position === this.skuAttribute || position === this.activeAttribute) return null;
    return this.#encoders[position] ?? null;
  }

  definition(position: number): AttributeDefinition {
    return this.attribute(position).definition;
  }

  attribute(position: number): CompiledAttribute {
    const attribute = this.attributes[position];
    if (attribute === undefined) throw new RangeError(`no attribute at position ${position}`);
    return attribute;
  }

  /** The step between two numbers of a SERIAL attribute. */
  increment(position: number): number {
    return this.definition(position).validation.incrementBy ?? 1;
  }

  /** Position of the attribute with this name, ignoring case; undefined when the site has none. */
  positionOf(name: string): number | undefined {
    const exact = this.#byName.get(name);
    if (exact !== undefined) return exact;
    const position = this.#byName.get(attributeKey(name));
    // The name is cached as it was written, because the next row usually writes it in the same way.
    if (position !== undefined && this.#byName.size < MAX_REMEMBERED_NAMES) this.#byName.set(name, position);
    return position;
  }

  /** The names in other languages, indexed when a header first needs them. */
  localizedNames(): LocalizedNames {
    this.#localizedNames ??= new LocalizedNames(this.definitions.attributes);
    return this.#localizedNames;
  }

  positionOfId(id: string): number | undefined {
    return this.#byId.get(id);
  }

  /** The rules of a category of this site; undefined when it does not exist. */
  ofCategory(nodeId: number): CategoryRules | undefined {
    const known = this.#byCategory.get(nodeId);
    if (known !== undefined) return known;
    const category = this.categories.byNodeId(nodeId);
    if (category === undefined) return undefined;
    const { assigned, mandatory, required } = this.#requirementsOf(category.attributes);
    const rules = { category, path: this.categories.pathOf(category), assigned, mandatory, required };
    this.#byCategory.set(nodeId, rules);
    return rules;
  }

  #requirementsOf(assignments: DefinitionCategory['attributes']): Requirements {
    const known = this.#byAssignments.get(assignments);
    if (known !== undefined) return known;
    const assigned = new Uint8Array(this.attributes.length);
    const mandatory: number[] = [];
    for (const assignment of assignments) {
      const position = this.#byId.get(assignment.attributeId);
      if (position === undefined) continue;
      assigned[position] = 1;
      if (assignment.mandatory && position !== this.skuAttribute) mandatory.push(position);
    }
    if (this.skuAttribute >= 0) assigned[this.skuAttribute] = 1;
    const required = this.#required.filter((position) => assigned[position] === 1);
    const requirements = { assigned, mandatory, required };
    this.#byAssignments.set(assignments, requirements);
    return requirements;
  }

  #mapped(mapping: 'sku' | 'active' | 'isVariant'): number {
    const id = this.definitions.mappings[mapping];
    return id === undefined ? -1 : (this.#byId.get(id) ?? -1);
  }
}
