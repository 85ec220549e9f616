/** Which bundles hold which: kept small by leaving out what is no bundle. */

/** How deep bundles may be nested: a bundle of items alone has one level. */
export const MOST_LEVELS = 10;

export class BundleGraph {
  readonly #held = new Map<string, ReadonlySet<string>>();
  readonly #holders = new Map<string, Set<string>>();

  /** Says which bundles a bundle holds, instead of those that it held. */
  set(bundle: string, held: ReadonlySet<string>): void {
    for (const before of this.#held.get(bundle) ?? []) this.#holders.get(before)?.delete(bundle);
    this.#held.set(bundle, held);
    for (const sku of held) {
      const holders = this.#holders.get(sku);
      if (holders === undefined) this.#holders.set(sku, new Set([bundle]));
      else holders.add(bundle);
    }
  }

  /** The way from one of the bundles down to `bundle`, both ends included; null: there is none. */
  wayDown(from: Iterable<string>, bundle: string): string[] | null {
    const cameFrom = new Map<string, string | null>();
    const ahead: string[] = [];
    for (const sku of from) {
      cameFrom.set(sku, null);
      ahead.push(sku);
    }
    for (const sku of ahead) {
      if (sku === bundle) return wayTo(sku, cameFrom);
      for (const held of this.#held.get(sku) ?? []) {
        if (cameFrom.has(held)) continue;
        cameFrom.set(held, sku);
        ahead.push(held);
      }
    }
    return null;
  }

  /** Levels of a bundle that holds these, itself and those above it included. There is no cycle among them. */
  levelsWith(bundle: string, held: Iterable<string>): number {
    return longest(held, this.#held) + 1 + longest(this.#holders.get(bundle) ?? [], this.#holders);
  }
}

function wayTo(end: string, cameFrom: ReadonlyMap<string, string | null>): string[] {
  const way: string[] = [];
  for (let sku: string | null = end; sku !== null; sku = cameFrom.get(sku) ?? null) way.unshift(sku);
  return way;
}

/** Nodes on the longest way from one of those given. */
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
