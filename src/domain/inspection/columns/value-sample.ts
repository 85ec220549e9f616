/** A sample of the different values of a column, spread over all rows: those with the smallest hashes. */

/** No longer value is sampled: it is prose. */
const MAX_LENGTH = 1_000;

interface Sampled {
  readonly hash: number;
  readonly text: string;
  readonly row: number;
}

export class ValueSample {
  #sampled: Sampled[] = [];
  #limit = Number.POSITIVE_INFINITY;

  constructor(readonly size: number) {}

  /** @param high the high lane of the value's hash */
  add(high: number, low: number, text: string, row: number): void {
    const hash = (high >>> 0) * 2 ** 21 + (low >>> 11);
    if (hash >= this.#limit || text.length > MAX_LENGTH) return;
    if (this.#sampled.some((known) => known.hash === hash)) return;
    this.#sampled.push({ hash, text, row });
    if (this.#sampled.length < this.size * 2) return;
    this.#cutBack();
  }

  /** In the order of their rows. */
  values(): { text: string; row: number }[] {
    this.#cutBack();
    return this.#sampled.toSorted((a, b) => a.row - b.row);
  }

  #cutBack(): void {
    this.#sampled = this.#sampled.toSorted((a, b) => a.hash - b.hash).slice(0, this.size);
    if (this.#sampled.length === this.size) this.#limit = this.#sampled.at(-1)?.hash ?? this.#limit;
  }
}
