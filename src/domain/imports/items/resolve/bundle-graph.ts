/** Which bundles hold which other bundles. Items are left out, which keeps the graph small. */

/** How deep bundles may be nested; a bundle that holds only items has one level. */
export const MOST_LEVELS = 10;

const NONE: ReadonlySet<string> = new Set();

export class BundleGraph {
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
