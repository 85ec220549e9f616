/** A slot that a delivery needs, and the limits that say how many there are. */

/** This process's share of a limit that holds for all worker processes together. @param key what is limited */
export type ShareOf = (limit: number, key: string) => number;

export interface SlotOptions {
  /** The maximum number of requests of all worker processes together in flight under a key. */
  readonly limit: number;
  /** The maximum number of requests of this process in flight under a key. */
  readonly mostOf: (key: string) => number;
  /** Deliveries of all keys that may be in flight or wait in this process: a slow endpoint must not occupy all. */
  readonly permits: number;
  readonly now: () => number;
}

export type Slot =
  | { readonly kind: 'taken'; release(wasUsed?: boolean): void }
  /** The delivery is to be snoozed for this time. */
  | { readonly kind: 'full'; readonly delayMs: number };
