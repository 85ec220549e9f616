/** Keeps as many jobs waiting as there are: for each that ends, another is sent. */
import pg from 'pg';
import { JOB_ENDED_CHANNEL } from '../../src/domain/jobs/model/job-end.js';

export interface Refill {
  /** How many jobs have ended since it began. */
  ended(): number;
  /** Sends no more. @returns how many were accepted @throws what kept one from being accepted */
  stop(): Promise<number>;
}

/** @param send sends a request and resolves once it is accepted; given how many were sent before */
export async function startRefill(databaseUrl: string, send: (number: number) => Promise<void>): Promise<Refill> {
  const listener = new pg.Client({ connectionString: databaseUrl, application_name: 'longshore-bench-refill' });
  const sending: Promise<void>[] = [];
  let failure: unknown;
  let stopped = false;
  let ended = 0;
  const failed = (error: unknown) => {
    failure ??= error;
  };
  listener.on('error', failed);
  listener.on('notification', () => {
    ended += 1;
    if (!stopped) sending.push(send(sending.length).catch(failed));
  });
  await listener.connect();
  await listener.query(`LISTEN ${JOB_ENDED_CHANNEL}`);
  return {
    ended: () => ended,
    stop: async () => {
      stopped = true;
      await listener.end();
      await Promise.all(sending);
      if (failure !== undefined) throw failure;
      return sending.length;
    },
  };
}
