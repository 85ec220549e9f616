/** Waits until something was changed in a site, for readers of its feed that have read all there is. */
import type { Db } from '../../../db/connection.js';

/** How often it looks, once for all who wait in the process, and only while somebody does. */
const EVERY_MS = 250;

export interface FeedWatch {
  /**
   * Resolves when the site has changes after a position, or after the given time.
   * @param signal aborted when nobody waits any more: it resolves as well
   */
  wait(siteId: number, position: number, ms: number, signal: AbortSignal): Promise<void>;
}

interface Waiter {
  /** The last position that it has read. */
  readonly position: number;
  readonly done: () => void;
}

/** @param failed gets errors; those who wait go on waiting */
export function createFeedWatch(db: Db, failed: (error: unknown) => void): FeedWatch {
  const waiting = new Map<number, Set<Waiter>>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    timer = undefined;
    try {
      const { rows } = await db.raw<{ rows: { id: number; last: number; open: boolean }[] }>(
        `SELECT site.id, coalesce(feed.last_position, 0) AS last,
           EXISTS (SELECT FROM change_set WHERE site_id = site.id AND position IS NULL AND NOT preview) AS open
         FROM unnest(?::integer[]) AS site (id) LEFT JOIN change_feed AS feed ON feed.site_id = site.id`,
        [[...waiting.keys()]],
      );
      for (const { id, last, open } of rows)
        for (const waiter of [...(waiting.get(id) ?? [])]) if (open || last > waiter.position) waiter.done();
    } catch (error) {
      failed(error);
    }
    schedule();
  }

  function schedule(): void {
    if (timer === undefined && waiting.size > 0) timer = setTimeout(look, EVERY_MS).unref();
  }

  return {
    wait: (siteId, position, ms, signal) =>
      new Promise((resolve) => {
        const all = waiting.get(siteId) ?? new Set<Waiter>();
        waiting.set(siteId, all);
        const done = (): void => {
          clearTimeout(end);
          signal.removeEventListener('abort', done);
          all.delete(waiter);
          if (all.size === 0 && waiting.get(siteId) === all) waiting.delete(siteId);
          resolve();
        };
        const waiter = { position, done };
        const end = setTimeout(done, ms);
        signal.addEventListener('abort', done, { once: true });
        all.add(waiter);
        if (signal.aborted) done();
        schedule();
      }),
  };
}
