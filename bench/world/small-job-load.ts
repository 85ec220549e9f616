/** Runs loads of small jobs one after another, and looks after each whether all of it is there, once. */
import { type Sent, sendAll } from '../measure/send-all.js';
import { emptyCatalogAndJobs } from './empty-tables.js';
import { databaseTime, type JobRate, jobsEnd, rateSince } from './job-rate.js';
import { requireExact } from './require-exact.js';
import { type SmallRequest, sendSmall } from './small-jobs.js';
import type { World } from './start-world.js';

export interface Load {
  readonly accepted: Sent;
  readonly ended: JobRate;
  readonly allEnded: boolean;
}

export interface SmallJobLoad {
  /**
   * Sends so many requests, as fast as they are accepted, and waits for their jobs. @throws Inexact
   */
  run(requests: number): Promise<Load>;
  /** Removes all items and jobs. */
  empty(): Promise<void>;
}

export interface SmallJobLoadOptions {
  /** Requests from the given number on; requests of other numbers must be others. */
  readonly requestsFrom: (first: number, count: number) => readonly SmallRequest[];
  readonly connections: number;
  /** `sendSmall` unless each connection is to wait for results. */
  readonly send?: (request: SmallRequest) => Promise<void>;
  /**
   * From the first request on. Then no more are sent, and what has not ended is not waited for: the rate is that of what
   * has, and all is removed, for what is left over must take nothing from who comes next.
   */
  readonly endWithinMs: number;
}

/** Begins with tables that hold no items and no item jobs. */
export function createSmallJobLoad({ db }: Pick<World, 'db'>, options: SmallJobLoadOptions): SmallJobLoad {
  const { requestsFrom, connections, send = sendSmall, endWithinMs } = options;
  let next = 0;
  let present = 0;
  const empty = async () => {
    await emptyCatalogAndJobs(db);
    present = 0;
  };
  return {
    empty,
    run: async (count) => {
      const requests = requestsFrom(next, count);
      next += count;
      const since = await databaseTime(db);
      const giveUpAt = performance.now() + endWithinMs;
      const accepted = await sendAll(requests, connections, send, giveUpAt);
      present += accepted.count;
      const allEnded = await jobsEnd(db, giveUpAt);
      const ended = await rateSince(db, since);
      await requireExact(db, present, allEnded);
      if (!allEnded) await empty();
      return { accepted, ended, allEnded };
    },
  };
}

export function describeLoad({ accepted, ended, allEnded }: Load): string {
  const rates = `${Math.round(accepted.perSecond)} accepted/s (p99 ${Math.round(accepted.p99Ms)} ms), ${Math.round(ended.perSecond)} completed/s (p99 ${Math.round(ended.p99Ms)} ms)`;
  return allEnded ? rates : `${rates}; given up after ${ended.ended} jobs`;
}
