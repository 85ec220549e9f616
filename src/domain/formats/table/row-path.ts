/** A place in a JSON or XML file that may be where its rows are. */

export interface RowPath {
  readonly path: string;
  /** How many rows there would be. */
  readonly rows: number;
  /** How many different values the rows would have, without those of repeated parts. */
  readonly values: number;
  /** How plausible the path is beside others. */
  readonly score: number;
  /** Whether it is where a well-known format has its rows. */
  readonly isKnown: boolean;
}
