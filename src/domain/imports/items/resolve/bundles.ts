/** Checks that the items of a bundle exist, and that no bundle holds itself. */
import type { Knex } from 'knex';
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import { storable } from '../../../kernel/characters.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { Pass } from '../../../outcomes/model/passes.js';
import type { FixedNames } from '../read/item-columns.js';
import type { ItemDraft } from '../read/item-draft.js';
import { BundleGraph, MOST_LEVELS } from './bundle-graph.js';
import { findBundlesMissingItems, recordWaiting, type Waiting } from './deferred-bundles.js';
import type { ItemState } from './item-state.js';
import { loadComponents, loadHeldBundles, loadHolders, loadTypes, storeComponents } from './stored-bundles.js';
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
    const again = drafts.flatMap(({ sku, revert, type }) => (revert === 'restore' && type === 'B' ? [sku] : []));
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
    // Bundles may hold the item whose place a bundle takes again.
    if (again.length > 0) bundles.#addEdges(await loadHolders(trx, siteId, again));
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
    // An item that takes the place of a bundle has components, too: none.
    if (item.components === null) return untype;
    const held = this.#graph.heldBy(sku);
    this.#graph.set(sku, this.#bundlesAmong(item.components));
    this.#written.push(item);
    return () => {
      untype();
      this.#graph.set(sku, held);
      this.#written.pop();
    };
  }

  /** Records that an item or bundle is deleted. @returns what takes it back */
  remove(sku: string): () => void {
    const type = this.types.get(sku);
    const held = this.#graph.heldBy(sku);
    this.types.delete(sku);
    this.#graph.set(sku, new Set());
    return () => {
      if (type !== undefined) this.types.set(sku, type);
      this.#graph.set(sku, held);
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
