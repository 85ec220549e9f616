/** Which events of a definition are listed, as the address says: a link shows somebody else the same. */
export interface EventsSearch {
  readonly status?: string;
  /** Its whole name. */
  readonly event?: string;
  /** The whole number of its order. */
  readonly order?: string;
  readonly page?: number;
}

/** Reads an address that somebody may have written by hand. */
export function readEventsSearch({ status, event, order, page }: Readonly<Record<string, unknown>>): EventsSearch {
  return {
    ...(typeof status === 'string' ? { status } : {}),
    ...(typeof event === 'string' && event !== '' ? { event } : {}),
    // The number of an order may have figures only: it is a number in an address that somebody wrote.
    ...((typeof order === 'string' && order !== '') || typeof order === 'number' ? { order: String(order) } : {}),
    ...(Number.isInteger(page) && Number(page) > 1 ? { page: Number(page) } : {}),
  };
}
