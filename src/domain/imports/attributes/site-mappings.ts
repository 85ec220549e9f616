/** The parts that attributes play in their site, while a chunk of attribute rows changes either. */
import type { Knex } from 'knex';
import type { AttributeMapping } from '../../catalog/attribute-definition.js';
import type { AttributeInput } from '../../catalog/attributes/attribute-input.js';
import type { AttributeChange } from '../../catalog/attributes/decide-attribute-change.js';
import { mappingProblem } from '../../catalog/attributes/mapping-rules.js';
import { writeAttributeMappings } from '../../catalog/attributes/set-attribute-mappings.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { siteIsEmpty } from '../items/resolve/stored-item.js';

export class MappedParts {
  readonly #changed = new Map<AttributeMapping, string>();

  private constructor(
    readonly siteId: number,
    /** Part → attribute id. */
    readonly current: Map<AttributeMapping, string>,
    readonly siteHoldsItems: boolean,
  ) {}

  static async load(trx: Knex.Transaction, siteId: number): Promise<MappedParts> {
    const rows = await trx('attribute_mapping').where({ site_id: siteId }).select('mapping', 'attribute_id');
    const holdsItems = !(await siteIsEmpty(trx, siteId));
    return new MappedParts(siteId, new Map(rows.map((row) => [row.mapping, row.attribute_id])), holdsItems);
  }

  /** The change, if the parts that its attribute plays and is to play allow it; else what is wrong. */
  check(input: AttributeInput, change: AttributeChange): AttributeChange | RowProblem[] {
    const { definition } = change;
    for (const [part, id] of this.current) {
      if (id !== definition.id) continue;
      const problem =
        change.kind === 'delete' ? `it is the attribute mapped to "${part}"` : mappingProblem(part, definition);
      if (problem !== null) {
        const message = `"${definition.name}" plays the part "${part}": ${problem}; map another attribute first`;
        return [{ code: 'ATTRIBUTE_IN_USE', column: change.kind === 'delete' ? 'name' : 'mapping', message }];
      }
    }
    if (change.kind === 'delete') return change;
    const taken = (input.mappings ?? []).filter((part) => this.current.get(part) !== definition.id);
    for (const part of taken) {
      const unfit = this.siteHoldsItems
        ? 'the site holds items, which go by the mapping as it is: leave "mapping" out'
        : mappingProblem(part, definition);
      if (unfit !== null) return [{ code: 'FIELD_INVALID', column: 'mapping', message: unfit }];
    }
    for (const part of taken) {
      this.current.set(part, definition.id);
      this.#changed.set(part, definition.id);
    }
    return change;
  }

  /** After the attributes are stored. */
  async store(trx: Knex.Transaction): Promise<void> {
    if (this.#changed.size === 0) return;
    const changes = [...this.#changed].map(([mapping, id]) => ({ mapping, attribute: { id } }));
    await writeAttributeMappings(trx, this.siteId, changes);
  }
}
