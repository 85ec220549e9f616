/** Ids of rows that SQL lays by the thousand, so that a test can name each of them. */

/** How many rows there are, and what their ids begin with. */
export interface Laid {
  /** 16 hex characters that no other database has: a process remembers what accounts have defined. */
  readonly prefix: string;
  readonly sites: number;
  /** Jobs that have ended, every second of them of the first site. */
  readonly ended: number;
  /** Jobs of the first two sites that wait for others. */
  readonly waiting: number;
  /** Jobs whose chunks are being applied, each of another site from the first on, and the chunks of each. */
  readonly applying: number;
  readonly chunks: number;
  /** Exports, four a site; the first of four runs, the others wait. */
  readonly exports: number;
  /** Definitions of each site that no events are of, but of the second, which has so many listeners. */
  readonly definitions: number;
  readonly listeners: number;
  /** Events, each with 20 deliveries that have ended. */
  readonly events: number;
  /** Further events, each with 50 deliveries that are due. */
  readonly batches: number;
  readonly keys: number;
  /** Of each of the last two sites. */
  readonly items: number;
}

/** Two hex characters of the ids. */
const KINDS = {
  account: 'a0',
  token: 'a1',
  attribute: 'b0',
  category: 'b1',
  file: 'c0',
  ended: 'd0',
  waiting: 'd1',
  applying: 'd2',
  queued: 'd3',
  export: 'd4',
  definition: 'e0',
  listener: 'e1',
  event: 'f0',
  fanOut: 'f1',
} as const;
export type Kind = keyof typeof KINDS;

/** Sites whose jobs are on the queue: neither those in front, which are busy, nor those at the end, which have none. */
export function queuedSites({ sites }: Laid): { readonly first: number; readonly count: number } {
  return { first: sites / 2, count: sites / 2 - 2 };
}

/** The id of the nth of a kind. */
export function laidId({ prefix }: Laid, kind: Kind, n: number): string {
  return `${prefix}${KINDS[kind]}${n.toString(16).padStart(6, '0')}`;
}

/** The same as SQL. @param n SQL */
export function idOf({ prefix }: Laid, kind: Kind, n: string): string {
  return `('${prefix}${KINDS[kind]}' || lpad(to_hex(${n}), 6, '0'))`;
}

/** The nth batch of deliveries that are due; of those that have ended, that of the event `n - batches`. */
export function laidBatch({ prefix }: Laid, n: number): string {
  return `${prefix}${n.toString(16).padStart(6, '0')}`;
}

/** As SQL: the id of a batch's delivery. */
export function deliveryIdOf({ prefix }: Laid, batch: string, nth: string): string {
  return `('${prefix}' || lpad(to_hex(${batch}), 6, '0') || lpad(to_hex(${nth}), 2, '0'))`;
}

/** The deliveries of a batch that is due. */
export function laidDeliveries(laid: Laid, batch: number): string[] {
  return Array.from({ length: 50 }, (_, nth) => laidBatch(laid, batch) + nth.toString(16).padStart(2, '0'));
}
