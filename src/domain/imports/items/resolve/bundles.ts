/** Checks that the items of a bundle exist, and that no bundle holds itself. */
import type { Knex } from 'knex';
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import { storable } from '../../../kernel/characters.js';
import type { Pass } from '../../../kernel/passes.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { FixedNames } from '../read/item-columns.js';
import type { ItemDraft } from '../read/item-draft.js';
import type { ItemState } from './item-state.js';
import type { StoredItem } from './stored-item.js';

interface BundleOptions {
  readonly siteId: number;
  readonly jobId: string;
  readonly names: FixedNames;
  readonly pass: Pass;
}

/** The problems of a row, which may be temporary. */
interface BundleVerdict {
  readonly problems: RowProblem[];
  /** The items whose rows may solve them; empty when no row can. */
  readonly about: readonly string[];
}

const FINE: BundleVerdict = { problems: [], about: [] };
const NOTHING: readonly Component[] = [];

/** The bundles of one chunk's rows, including the changes of the rows before the current one. */
export class Bundles {
  readonly #graph = new BundleGraph();
  readonly #waiting: Waiting[] = [];
  readonly #written: ItemState[] = [];

  private constructor(
    readonly options: BundleOptions,
    /** The components of stored bundles. */
    readonly components: ReadonlyMap<string, readonly Component[]>,
    /** The types of the items that the rows name, as far as they exist. */
    readonly types: Map<string, ItemTypeCode>,
    /** In the last pass: the bundles that depend on an item that does not exist. */
    readonly missingItems: Set<string>,
    /** The bundles that the rows name. */
    readonly rows: readonly string[],
  ) {}

  /** @param stored the items of the rows that exist */
  static async load(
    trx: Knex.Transaction,
    options: BundleOptions,
    drafts: readonly ItemDraft[],
    stored: ReadonlyMap<string, StoredItem>,
  ): Promise<Bundles> {
    const { siteId, jobId, pass } = options;
    const storedBundles = [...stored.values()].flatMap(({ sku, type }) => (type === 'B' ? [sku] : []));
    const assembled = drafts.filter(({ components }) => components !== undefined && components.length > 0);
    const named = [...new Set(assembled.flatMap(({ components = NOTHING }) => components.map(({ sku }) => sku)))];
    const components = await loadComponents(trx, siteId, storedBundles);
    const types = await loadTypes(trx, siteId, named);
    const possible = assembled.filter(({ faults }) => faults === null);
    const waiting = possible.filter((draft) => missingOf(draft, types).length > 0).map(({ sku }) => sku);
    const missingItems = pass.last ? await findBundlesMissingItems(trx, siteId, jobId, waiting) : new Set<string>();
    const rows = assembled.map(({ sku }) => sku);
    const bundles = new Bundles(options, components, types, missingItems, rows);
    const ofBundles = named.filter((sku) => types.get(sku) === 'B');
    if (ofBundles.length > 0 || assembled.some(({ sku }) => named.includes(sku))) {
      bundles.#addEdges(await loadHeldBundles(trx, siteId, [...ofBundles, ...storedBundles]));
      bundles.#addEdges(await loadHolders(trx, siteId, storedBundles));
    }
    return bundles;
  }

  componentsOf(sku: string): readonly Component[] {
    return this.components.get(sku) ?? NOTHING;
  }

  /** Checks whether a row's bundle may hold the items that it names at this moment. */
  check(draft: ItemDraft): BundleVerdict {
    const { sku, components } = draft;
    if (components === undefined || components.length === 0) return FINE;
    if (components.some((component) => component.sku === sku)) {
      return { problems: [this.#cycle(sku, sku, [sku, sku])], about: [] };
    }
    const missing = missingOf(draft, this.types);
    if (missing.length > 0) return { problems: missing.map((one) => this.#missing(sku, one)), about: missing };
    const bundles = this.#bundlesAmong(components);
    const path = this.#graph.pathDown(bundles, sku);
    if (path !== null) return { problems: [this.#cycle(sku, path[0] ?? sku, [sku, ...path])], about: path };
    const levels = bundles.size === 0 ? 1 : this.#graph.levelsWith(sku, bundles);
    if (levels <= MOST_LEVELS) return FINE;
    const message = `bundles would be nested ${levels} levels deep here; at most ${MOST_LEVELS} are allowed: hold items directly`;
    return { problems: [{ code: 'VALUE_RANGE', column: this.options.names.items, message }], about: this.rows };
  }

  /** Records the new state of the item or bundle of a row. @returns what takes it back, if nothing was recorded since */
  record(item: ItemState): () => void {
    const { sku } = item;
    const type = this.types.get(sku);
    const untype = (): void => {
      if (type === undefined) this.types.delete(sku);
    };
    this.types.set(sku, item.type);
    if (item.type !== 'B' || item.components === null) return untype;
    const held = this.#graph.heldBy(sku);
    this.#graph.set(sku, this.#bundlesAmong(item.components));
    this.#written.push(item);
    return () => {
      untype();
      this.#graph.set(sku, held);
      this.#written.pop();
    };
  }

  /**
   * Finds out, for the rows that fail in the last pass, which of them lead to something that does not exist; the other
   * ones wait for each other.
   * @param hopeless rows that fail in any case, so that none waits for another
   */
  findMissing(failed: readonly ItemDraft[], hopeless: readonly ItemDraft[]): void {
    const lacking = new Map(failed.map((draft) => [draft.sku, missingOf(draft, this.types)]));
    const vain = new Set(hopeless.map(({ sku }) => sku));
    const before = new Set(this.missingItems);
    this.missingItems.clear();
    for (let grew = true; grew; ) {
      grew = false;
      for (const [bundle, missing] of lacking) {
        if (this.missingItems.has(bundle)) continue;
        const isMissing = missing.some((sku) => {
          const further = lacking.get(sku);
          // The rows of other sets are known from the earlier passes only.
          if (further === undefined) return vain.has(sku) || before.has(bundle);
          return further.length === 0 || this.missingItems.has(sku);
        });
        if (!isMissing) continue;
        this.missingItems.add(bundle);
        grew = true;
      }
    }
    for (const sku of vain) this.missingItems.add(sku);
  }

  /** Records that a row is deferred, so that the last pass can say why it cannot be applied. */
  defer(draft: ItemDraft): void {
    for (const sku of missingOf(draft, this.types)) this.#waiting.push({ bundleSku: draft.sku, sku });
  }

  /** Writes the components of bundles, and which bundles are deferred. */
  async store(trx: Knex.Transaction): Promise<void> {
    await storeComponents(trx, this.options.siteId, this.#written);
    await recordWaiting(trx, this.options.jobId, this.#waiting);
  }

  #addEdges(edges: ReadonlyMap<string, ReadonlySet<string>>): void {
    for (const [bundle, held] of edges) this.#graph.set(bundle, held);
  }

  #bundlesAmong(components: readonly Component[]): ReadonlySet<string> {
    return new Set(components.flatMap(({ sku }) => (this.types.get(sku) === 'B' ? [sku] : [])));
  }

  #missing(bundleSku: string, sku: string): RowProblem {
    const column = this.options.names.items;
    const shown = storable(sku, 100);
    if (this.options.pass.last && !this.missingItems.has(bundleSku)) {
      const message = `"${shown}", or a bundle in it, holds this bundle in turn, so that none of them can be created first; break the cycle`;
      return { code: 'BUNDLE_CYCLE', column, message, value: storable(sku, 200) };
    }
    const message = `there is no "${shown}", neither in the catalog nor among the rows of this input that were applied; correct the SKU, or the row of that item`;
    return { code: 'BUNDLE_ITEM_NOT_FOUND', column, message, value: storable(sku, 200) };
  }

  #cycle(sku: string, through: string, path: readonly string[]): RowProblem {
    const shown = path.map((step) => `"${storable(step, 60)}"`).join(' holds ');
    const message = `the bundle "${storable(sku, 60)}" would hold itself: ${shown}; leave one of them out`;
    return { code: 'BUNDLE_CYCLE', column: this.options.names.items, message, value: storable(through, 200) };
  }
}

function missingOf({ components = NOTHING }: ItemDraft, types: ReadonlyMap<string, ItemTypeCode>): string[] {
  return components.flatMap(({ sku }) => (types.has(sku) ? [] : [sku]));
}

// Loading and storing the components of bundles, one chunk at a time.

/** @returns bundle → its components, in order */
async function loadComponents(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, Component[]>> {
  const components = new Map<string, Component[]>();
  if (skus.length === 0) return components;
  const result = await trx.raw(
    `SELECT part.bundle_sku, part.sku, part.quantity FROM jsonb_array_elements_text(?::jsonb) AS wanted (sku)
     CROSS JOIN LATERAL (
       SELECT bundle_sku, position, sku, quantity FROM bundle_item
       WHERE site_id = ? AND bundle_sku = wanted.sku COLLATE "C" ORDER BY position) AS part
     ORDER BY part.bundle_sku, part.position`,
    [JSON.stringify(skus), siteId],
  );
  for (const { bundle_sku: bundle, sku, quantity } of result.rows) {
    const held = components.get(bundle);
    if (held === undefined) components.set(bundle, [{ sku, quantity }]);
    else held.push({ sku, quantity });
  }
  return components;
}

/** @returns SKU → type, for the items that exist */
async function loadTypes(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, ItemTypeCode>> {
  if (skus.length === 0) return new Map();
  const result = await trx.raw(
    `SELECT item.sku, item.type FROM jsonb_array_elements_text(?::jsonb) AS wanted (sku)
     CROSS JOIN LATERAL (SELECT sku, type FROM item WHERE site_id = ? AND sku = wanted.sku COLLATE "C" LIMIT 1) AS item`,
    [JSON.stringify(skus), siteId],
  );
  return new Map(result.rows.map((row: { sku: string; type: ItemTypeCode }) => [row.sku, row.type]));
}

/**
 * SQL: the bundles that each of the bundles holds. Each is looked up by its key; with a join, a few bundles may make
 * Postgres read all bundles and all items of the site.
 */
const HELD_BUNDLES = (bundles: 'below' | 'above'): string => `CROSS JOIN LATERAL (
  SELECT part.bundle_sku, part.sku FROM bundle_item AS part CROSS JOIN LATERAL (
    SELECT FROM item WHERE site_id = :siteId AND sku = part.sku AND type = 'B' LIMIT 1) AS bundle
  WHERE part.site_id = :siteId AND part.bundle_sku = ${bundles}.sku ORDER BY part.position) AS held`;

/** Loads the bundles below these: bundle → the bundles that it holds. */
function loadHeldBundles(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, Set<string>>> {
  return loadEdges(
    trx,
    `WITH RECURSIVE below (sku) AS (
       SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"
       UNION
       SELECT held.sku FROM below ${HELD_BUNDLES('below')}
     )
     SELECT held.bundle_sku, held.sku FROM below ${HELD_BUNDLES('below')}`,
    { siteId, skus: JSON.stringify(skus) },
  );
}

/** Loads the bundles above these, directly or not: bundle → the bundles that it holds. */
function loadHolders(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, Set<string>>> {
  return loadEdges(
    trx,
    `WITH RECURSIVE above (sku) AS (
       SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"
       UNION
       SELECT holder.bundle_sku FROM above CROSS JOIN LATERAL (
         SELECT bundle_sku FROM bundle_item WHERE site_id = :siteId AND sku = above.sku OFFSET 0) AS holder
     )
     SELECT held.bundle_sku, held.sku FROM above ${HELD_BUNDLES('above')}`,
    { siteId, skus: JSON.stringify(skus) },
  );
}

async function loadEdges(
  trx: Knex.Transaction,
  sql: string,
  bindings: { readonly siteId: number; readonly skus: string },
): Promise<Map<string, Set<string>>> {
  const result = await trx.raw(sql, bindings);
  const edges = new Map<string, Set<string>>();
  for (const { bundle_sku: bundle, sku } of result.rows) {
    const held = edges.get(bundle);
    if (held === undefined) edges.set(bundle, new Set([sku]));
    else held.add(sku);
  }
  return edges;
}

/** Replaces the components of bundles. */
async function storeComponents(trx: Knex.Transaction, siteId: number, bundles: readonly ItemState[]): Promise<void> {
  if (bundles.length === 0) return;
  await trx.raw(
    `DELETE FROM bundle_item
     WHERE site_id = ? AND bundle_sku = ANY (ARRAY(SELECT jsonb_array_elements_text(?::jsonb) COLLATE "C"))`,
    [siteId, JSON.stringify(bundles.map(({ sku }) => sku))],
  );
  const rows = bundles.flatMap(({ sku: bundle, components }) =>
    (components ?? []).map(({ sku, quantity }, position) => ({ b: bundle, p: position, s: sku, q: quantity })),
  );
  if (rows.length === 0) return;
  await trx.raw(
    `INSERT INTO bundle_item (site_id, bundle_sku, position, sku, quantity)
     SELECT ?, b, p, s, q FROM jsonb_to_recordset(?::jsonb) AS part (b text, p integer, s text, q integer)`,
    [siteId, JSON.stringify(rows)],
  );
}

// Which bundles hold which other bundles. Items are left out, which keeps the graph small.

/** How deep bundles may be nested; a bundle that holds only items has one level. */
const MOST_LEVELS = 10;

const NONE: ReadonlySet<string> = new Set();

class BundleGraph {
  readonly #held = new Map<string, ReadonlySet<string>>();
  readonly #holders = new Map<string, Set<string>>();

  /** The bundles that a bundle holds. */
  heldBy(bundle: string): ReadonlySet<string> {
    return this.#held.get(bundle) ?? NONE;
  }

  /** Replaces the bundles that a bundle holds. */
  set(bundle: string, held: ReadonlySet<string>): void {
    for (const before of this.#held.get(bundle) ?? []) this.#holders.get(before)?.delete(bundle);
    this.#held.set(bundle, held);
    for (const sku of held) {
      const holders = this.#holders.get(sku);
      if (holders === undefined) this.#holders.set(sku, new Set([bundle]));
      else holders.add(bundle);
    }
  }

  /** Finds a path from one of the bundles down to `bundle`, both ends included; null when there is none. */
  pathDown(from: Iterable<string>, bundle: string): string[] | null {
    const cameFrom = new Map<string, string | null>();
    const queue: string[] = [];
    for (const sku of from) {
      cameFrom.set(sku, null);
      queue.push(sku);
    }
    for (const sku of queue) {
      if (sku === bundle) return pathTo(sku, cameFrom);
      for (const held of this.#held.get(sku) ?? []) {
        if (cameFrom.has(held)) continue;
        cameFrom.set(held, sku);
        queue.push(held);
      }
    }
    return null;
  }

  /** Counts the levels if `bundle` holds these, including those above it. The graph must have no cycle. */
  levelsWith(bundle: string, held: Iterable<string>): number {
    return longest(held, this.#held) + 1 + longest(this.#holders.get(bundle) ?? [], this.#holders);
  }
}

function pathTo(end: string, cameFrom: ReadonlyMap<string, string | null>): string[] {
  const path: string[] = [];
  for (let sku: string | null = end; sku !== null; sku = cameFrom.get(sku) ?? null) path.unshift(sku);
  return path;
}

/** Counts the nodes on the longest path from one of the given nodes. */
function longest(from: Iterable<string>, next: ReadonlyMap<string, ReadonlySet<string>>): number {
  const known = new Map<string, number>();
  const lengthFrom = (sku: string): number => {
    const before = known.get(sku);
    if (before !== undefined) return before;
    let most = 0;
    for (const following of next.get(sku) ?? []) most = Math.max(most, lengthFrom(following));
    known.set(sku, most + 1);
    return most + 1;
  };
  let most = 0;
  for (const sku of from) most = Math.max(most, lengthFrom(sku));
  return most;
}

// Deferred bundles. They are recorded, so that the last pass can distinguish a cycle from a missing item.

/** A deferred bundle, and one of the items that it waits for. */
interface Waiting {
  readonly bundleSku: string;
  readonly sku: string;
}

async function recordWaiting(trx: Knex.Transaction, jobId: string, waiting: readonly Waiting[]): Promise<void> {
  if (waiting.length === 0) return;
  await trx.raw(
    `INSERT INTO bundle_wait (job_id, bundle_sku, sku)
     SELECT ?, "bundleSku", sku FROM jsonb_to_recordset(?::jsonb) AS waiting ("bundleSku" text, sku text)
     ORDER BY 2, 3 ON CONFLICT ON CONSTRAINT bundle_wait_pk DO NOTHING`,
    [jobId, JSON.stringify(waiting)],
  );
}

/**
 * Finds, among the bundles that still wait in the last pass, those that depend on an item that neither exists nor
 * waits. The others wait for each other.
 */
async function findBundlesMissingItems(
  trx: Knex.Transaction,
  siteId: number,
  jobId: string,
  skus: readonly string[],
): Promise<Set<string>> {
  if (skus.length === 0) return new Set();
  const result = await trx.raw(
    `WITH RECURSIVE missing AS MATERIALIZED (
       SELECT wait.bundle_sku, wait.sku FROM bundle_wait AS wait LEFT JOIN LATERAL (
         SELECT sku FROM item WHERE site_id = :siteId AND sku = wait.sku LIMIT 1) AS found ON true
       WHERE wait.job_id = :jobId AND found.sku IS NULL
     ), unresolvable (sku) AS (
       SELECT bundle_sku FROM missing
       WHERE NOT EXISTS (SELECT 1 FROM missing AS further WHERE further.bundle_sku = missing.sku)
       UNION
       SELECT missing.bundle_sku FROM unresolvable JOIN missing ON missing.sku = unresolvable.sku
     )
     SELECT sku FROM unresolvable WHERE sku = ANY (ARRAY(SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"))`,
    { jobId, siteId, skus: JSON.stringify(skus) },
  );
  return new Set(result.rows.map(({ sku }: { sku: string }) => sku));
}
