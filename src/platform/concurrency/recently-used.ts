/** An LRU cache that is limited by the number of its entries and by their weight; and what it keeps of callers who fail. */

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

export class RecentlyUsed<Value> {
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #weight = 0;

  constructor(
    readonly maxEntries: number,
    /** The most recently used entry stays, whatever its weight. */
    readonly maxWeight: number,
  ) {}

  /** Of all entries together. */
  get weight(): number {
    return this.#weight;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Adds an entry of weight 0. */
  set(key: string, value: Value): void {
    this.delete(key);
    this.#entries.set(key, { value, weight: 0 });
    this.#makeRoom();
  }

  /** Sets the weight of an entry, if it is still in the cache. */
  weigh(key: string, weight: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.set(key, { value: entry.value, weight });
    this.#weight += weight - entry.weight;
    this.#makeRoom();
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }

  #makeRoom(): void {
    for (const key of this.#entries.keys()) {
      const fits = this.#entries.size <= this.maxEntries && this.#weight <= this.maxWeight;
      if (fits || this.#entries.size === 1) return;
      this.delete(key);
    }
  }
}
