/** Notes which categories are given items, once a category: so a leaf without any is known without looking for them. */
import type { Knex } from 'knex';
import type { Db } from '../../../../../db/connection.js';

interface Placed {
  readonly nodeId: number;
}

/**
 * The categories of one version of a site's definitions. What is known was read as committed: a note that is undone with
 * its transaction is made again. Whoever takes a note back counts the definitions up.
 */
export class FilledCategories {
  #known: ReadonlySet<number> = new Set();
  #isStale = true;

  /** Call it outside of the transaction that writes items, now and then: what is known need not be noted. */
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

  /** Within the transaction that writes the items, before it does. */
  async note(trx: Knex.Transaction, siteId: number, ...items: readonly (readonly Placed[])[]): Promise<void> {
    const fresh = new Set<number>();
    for (const some of items) {
      for (const { nodeId } of some) if (!this.#known.has(nodeId)) fresh.add(nodeId);
    }
    if (fresh.size === 0) return;
    this.#isStale = true;
    // No conflict to wait for: chunks and jobs beside each other fill the same categories.
    await trx.raw(
      `INSERT INTO filled_category (site_id, node_id)
       SELECT :siteId, node_id FROM unnest(:nodeIds::integer[]) AS node_id
       WHERE NOT EXISTS (
         SELECT 1 FROM filled_category AS noted WHERE noted.site_id = :siteId AND noted.node_id = node_id.node_id)`,
      { siteId, nodeIds: [...fresh] },
    );
  }
}
