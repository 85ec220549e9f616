/** A window on any number of items: it begins anywhere, and grows in both directions as it is looked at. */
import type { LongshoreClient, schemas } from '@longshore/client';

export type FoundItem = schemas.FoundItem;
type From = NonNullable<schemas.ItemSearchNext> & { readonly fromEnd?: true };
export type Direction = 'up' | 'down';

const PAGE = 100;
/** So many rows are kept; those at the other end are asked for again when somebody goes back. */
const MOST_ROWS = 2_000;

export interface WindowState {
  readonly rows: readonly FoundItem[];
  /** How many rows were put above the first one at the beginning; negative: taken away there. */
  readonly above: number;
  /** Where the items above and below the rows are; null: there are none. */
  readonly up: From | null;
  readonly down: From | null;
  readonly loading: Direction | undefined;
  /** A search that has found little is here. */
  readonly reached: string | undefined;
  readonly error: unknown;
}

export interface WindowStart {
  readonly body: Pick<schemas.SearchItemsRequest, 'match' | 'q' | 'skuPrefix' | 'attributes'>;
  /** Undefined: the first item. */
  readonly from?: string | undefined;
  readonly end?: boolean | undefined;
}

export class ItemWindow {
  #state: WindowState;
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  #search = new AbortController();
  /** Somebody has stopped it, or it has failed: it goes on when somebody says so, and not because rows are lacking. */
  #isHalted = false;
  /** Where it goes on. */
  #last: Direction = 'down';

  constructor(
    private readonly api: LongshoreClient,
    private readonly start: WindowStart,
  ) {
    const { from, end = false } = start;
    this.#state = {
      // It loads from its first moment: nobody else begins a direction before the first rows are there.
      ...{ rows: [], above: 0, loading: end ? 'up' : 'down', reached: undefined, error: undefined },
      up: end ? { fromEnd: true } : from === undefined ? null : { before: from },
      down: end ? null : from === undefined ? {} : { after: from },
    };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): WindowState => this.#state;

  /** Loads the first rows. */
  async begin(): Promise<void> {
    const { from, end = false } = this.start;
    if (from !== undefined) await this.#loadExactly(from);
    await this.#load(end ? 'up' : 'down');
    if (from !== undefined && this.#state.rows.length < PAGE) await this.more('up');
  }

  /** Loads further rows: a search that finds few goes on until there is a page of them, or no more. */
  async more(direction: Direction): Promise<void> {
    if (this.#isHalted || this.#state.loading !== undefined || this.#state[direction] === null) return;
    await this.#load(direction);
  }

  /** Goes on where it was stopped, or where it has failed. */
  async goOn(): Promise<void> {
    this.#isHalted = false;
    await this.more(this.#last);
  }

  async #load(direction: Direction): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#search = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, this.#search.signal]);
    this.#last = direction;
    this.#set({ loading: direction, error: undefined });
    try {
      for (let found = 0; found < PAGE; ) {
        const from = this.#state[direction];
        if (from === null) break;
        const { items, next } = await this.api.searchItems(
          { body: { ...this.start.body, ...from, limit: PAGE } },
          { signal },
        );
        found += items.length;
        this.#take(direction, items, next);
      }
      this.#set({ loading: undefined, reached: undefined });
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#isHalted = true;
      // A search that somebody has stopped shows what it has found; going on begins where it was.
      this.#set({ loading: undefined, ...(this.#search.signal.aborted ? {} : { error, reached: undefined }) });
    }
  }

  /** Ends a search that takes long; what it has found stays. */
  pause(): void {
    this.#search.abort();
  }

  end(): void {
    this.#stop.abort();
  }

  /** Reads some of the rows again, after they were changed. */
  async refresh(skus: readonly string[]): Promise<void> {
    const { attributes = [] } = this.start.body;
    const wanted = skus.filter((sku) => this.#state.rows.some((row) => row.sku === sku));
    for (let index = 0; index < wanted.length; index += PAGE) {
      const body = { match: { sku: wanted.slice(index, index + PAGE) }, attributes, limit: PAGE };
      const { items } = await this.api.searchItems({ body }, { signal: this.#stop.signal });
      const fresh = new Map(items.map((item) => [item.sku, item]));
      this.#set({ rows: this.#state.rows.map((row) => fresh.get(row.sku) ?? row) });
    }
  }

  /** The item where the window begins: further ones come after it and before it. */
  async #loadExactly(sku: string): Promise<void> {
    const { match, ...others } = this.start.body;
    try {
      // It begins just before it: a search that walked there from the first item might end before it is there.
      const near = sku.length > 1 ? { after: sku.slice(0, -1) } : {};
      const body = { ...others, ...near, match: { ...match, sku: [sku] }, limit: 1 };
      const { items } = await this.api.searchItems({ body }, { signal: this.#stop.signal });
      this.#set({ rows: items });
    } catch {
      // The search that follows says what is wrong.
    }
  }

  #take(direction: Direction, items: readonly FoundItem[], next: From | null): void {
    const { rows, above, up, down } = this.#state;
    const reached = next?.after ?? next?.before;
    if (direction === 'down') {
      const all = [...rows, ...items];
      const kept = all.slice(-MOST_ROWS);
      const gone = all.length - kept.length;
      const first = kept[0]?.sku ?? '';
      this.#set({ rows: kept, above: above - gone, down: next, up: gone > 0 ? { before: first } : up, reached });
      return;
    }
    const all = [...items, ...rows];
    const kept = all.slice(0, MOST_ROWS);
    const last = kept.at(-1)?.sku ?? '';
    const isCut = kept.length < all.length;
    this.#set({ rows: kept, above: above + items.length, up: next, down: isCut ? { after: last } : down, reached });
  }

  #set(change: Partial<WindowState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
