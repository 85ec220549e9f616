/** The mappings of a site (such as `sku` or `title`) to attributes, while the rows of a chunk change either side. */
import type { Knex } from 'knex';
import type { AttributeInput } from '../../catalog/attributes/attribute-input.js';
import type { AttributeChange } from '../../catalog/attributes/decide-attribute-change.js';
import { mappingProblem } from '../../catalog/attributes/mapping-problem.js';
import { writeAttributeMappings } from '../../catalog/attributes/set-attribute-mappings.js';
import type { AttributeMapping } from '../../catalog/model/attribute-definition.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { siteIsEmpty } from '../items/resolve/stored-item.js';

export class SiteMappings {
  readonly #changed = new Map<AttributeMapping, string>();
  readonly #removed = new Set<AttributeMapping>();

  private constructor(
    readonly siteId: number,
    /** Mapping → attribute id. */
    readonly current: Map<AttributeMapping, string>,
    readonly siteHoldsItems: boolean,
  ) {}

  static async load(trx: Knex.Transaction, siteId: number): Promise<SiteMappings> {
    const rows = await trx('attribute_mapping').where({ site_id: siteId }).select('mapping', 'attribute_id');
    const holdsItems = !(await siteIsEmpty(trx, siteId));
    return new SiteMappings(siteId, new Map(rows.map((row) => [row.mapping, row.attribute_id])), holdsItems);
  }

  /** Returns the change, if the current and the new mappings of its attribute allow it; else the problems. */
  check(input: AttributeInput, change: AttributeChange): AttributeChange | RowProblem[] {
    const { definition } = change;
    const held = [...this.current].flatMap(([mapping, id]) => (id === definition.id ? [mapping] : []));
    if (input.mappings === null && held.length > 0) {
      if (this.siteHoldsItems) return [dependentItems()];
      for (const mapping of held) this.#remove(mapping);
      return change;
    }
    for (const [mapping, id] of this.current) {
      if (id !== definition.id) continue;
      const problem =
        change.kind === 'delete' ? 'a mapped attribute cannot be deleted' : mappingProblem(mapping, definition);
      if (problem !== null) {
        const message = `"${definition.name}" is mapped to "${mapping}": ${problem}; map another attribute first, or take the role away in a file with NULL under "Mapping"`;
        return [{ code: 'ATTRIBUTE_IN_USE', column: change.kind === 'delete' ? 'name' : 'mapping', message }];
      }
    }
    if (change.kind === 'delete') return change;
    const taken = (input.mappings ?? []).filter((mapping) => this.current.get(mapping) !== definition.id);
    for (const mapping of taken) {
      if (this.siteHoldsItems) return [dependentItems()];
      const unfit = mappingProblem(mapping, definition);
      if (unfit !== null) return [{ code: 'FIELD_INVALID', column: 'mapping', message: unfit }];
    }
    for (const mapping of taken) {
      this.current.set(mapping, definition.id);
      this.#changed.set(mapping, definition.id);
    }
    return change;
  }

  #remove(mapping: AttributeMapping): void {
    this.current.delete(mapping);
    this.#changed.delete(mapping);
    this.#removed.add(mapping);
  }

  /** Writes the new mappings. To be called after the attributes are stored. */
  async store(trx: Knex.Transaction): Promise<void> {
    if (this.#changed.size === 0 && this.#removed.size === 0) return;
    const changes = [...this.#changed].map(([mapping, id]) => ({ mapping, attribute: { id } }));
    await writeAttributeMappings(trx, this.siteId, changes, [...this.#removed]);
  }
}

function dependentItems(): RowProblem {
  const message = 'the site contains items, which depend on the current mapping: leave "mapping" out';
  return { code: 'FIELD_INVALID', column: 'mapping', message };
}
