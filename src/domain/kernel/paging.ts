/** One page of a list. */

export interface PageRequest {
  readonly offset: number;
  /** At most 100. */
  readonly limit: number;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** How many there are on all pages. */
  readonly count: number;
}
