/** Where a lap through overdue rows has stopped. */

/** Where a lap through the overdue deliveries of one endpoint has stopped. */
export interface Position {
  /** A timestamp as text, because Date has no microseconds. */
  readonly at: string;
  readonly id: string;
  /** A lap ends at what was overdue when it began: what arrives meanwhile cannot postpone the next lap. */
  readonly until: string;
}
