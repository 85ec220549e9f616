/** Pages of lists. */

export interface PageRequest {
  readonly offset: number;
  /** At most 100. */
  readonly limit: number;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** The number of rows on all pages. */
  readonly count: number;
}
