/** Has the steps of processes that were killed executed by others, without waiting for the locks of the queue to expire. */
import { lostProcesses } from '../../../db/heartbeats.js';
import { logOutage } from '../../platform/outage-log.js';
import type { WorkerServices } from '../context.js';

/**
 * So long a process has to be seen without a heartbeat. After an outage of the database, all heartbeats are old, and those
 * that live write theirs within two seconds.
 */
const SEEN_LOST_MS = 4_000;

export class LostProcesses {
  /** When each was first seen to be lost. */
  readonly #since = new Map<string, number>();
  readonly #returned = new Set<string>();

  /** @param clock milliseconds, for tests */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** What fails here is tried again by the next pass, and the queue notices by itself. @returns how many steps */
  async takeOver({ db, producer, logger }: WorkerServices): Promise<number> {
    try {
      const lost = new Set(await lostProcesses(db));
      for (const known of [this.#since, this.#returned]) {
        for (const id of known.keys()) if (!lost.has(id)) known.delete(id);
      }
      const now = this.clock();
      for (const id of lost) if (!this.#since.has(id)) this.#since.set(id, now);
      const certain = [...lost].filter(
        (id) => !this.#returned.has(id) && now - (this.#since.get(id) ?? now) >= SEEN_LOST_MS,
      );
      if (certain.length === 0) return 0;
      const count = await producer.returnSteps(new Set(certain));
      for (const id of certain) this.#returned.add(id);
      if (count > 0) logger.warn({ processes: certain, count }, 'a process was lost, and others execute its steps');
      return count;
    } catch (error) {
      logOutage(logger, 'lost processes', error, 'the steps of processes that were lost could not be returned');
      return 0;
    }
  }
}
