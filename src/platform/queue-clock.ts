/**
 * Has the queues on Postgres use the clock of the database. BullMQ sends the time of its process with each statement: by the
 * clock of a machine that is minutes ahead, the locks of all others have expired, and its own outlive it by minutes.
 */
import type { PgPool, PgQueryResult } from 'bullmq';

/** Differences below are left as they are: locks and delays are longer. */
const LEAST_MS = 1_000;
const MEASURED_EVERY_MS = 30_000;
/** A number above is a time in milliseconds: it is that of September 2001. */
const FIRST_TIME_MS = 1e12;
/** The time at which a job was added, in the text of a batch. The data of jobs are texts within it, with `\"`. */
const TIME_IN_BATCH = /"timestamp":(\d{13})/g;
/** The column in which the queue says when its next job is due. */
const NEXT = 'next_delay';
const CLOCK = 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now';

/** The same pool, whose times are those of the database. */
export function byClockOfDatabase(pool: PgPool): PgPool {
  const clock = new QueueClock(pool);
  const query = async (text: string, values?: readonly unknown[]): Promise<PgQueryResult> => {
    const aheadMs = await clock.aheadMs();
    if (aheadMs === 0) return pool.query(text, values);
    const answer = await pool.query(
      text,
      values?.map((value) => moved(value, -aheadMs)),
    );
    for (const row of answer.rows) {
      if (typeof row === 'object' && row !== null && Number(row[NEXT]) > 0) row[NEXT] = Number(row[NEXT]) + aheadMs;
    }
    return answer;
  };
  return new Proxy(pool, {
    get: (target, member) => {
      if (member === 'query') return query;
      const value: unknown = Reflect.get(target, member);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

class QueueClock {
  readonly #pool: PgPool;
  #aheadMs = 0;
  #dueAt = 0;
  #measuring: Promise<void> | undefined;

  constructor(pool: PgPool) {
    this.#pool = pool;
  }

  /** How far the clock of this process is ahead of that of the database; 0: they agree. */
  async aheadMs(): Promise<number> {
    if (performance.now() >= this.#dueAt) {
      this.#measuring ??= this.#measure().finally(() => {
        this.#measuring = undefined;
      });
      // Only the first statement waits: a wrong time of it could lock a job for minutes.
      if (this.#dueAt === 0) await this.#measuring;
    }
    return this.#aheadMs;
  }

  /** Where it fails, so will the statement that asked for it. */
  async #measure(): Promise<void> {
    try {
      const asked = Date.now();
      const { rows } = await this.#pool.query<{ now: number }>(CLOCK);
      const aheadMs = Math.round((asked + Date.now()) / 2 - (rows[0]?.now ?? asked));
      this.#aheadMs = Math.abs(aheadMs) < LEAST_MS ? 0 : aheadMs;
      this.#dueAt = performance.now() + MEASURED_EVERY_MS;
    } catch {
      // The next statement measures again.
    }
  }
}

function moved(value: unknown, byMs: number): unknown {
  if (typeof value === 'number') return value > FIRST_TIME_MS ? value + byMs : value;
  if (typeof value !== 'string' || !value.includes('"timestamp":')) return value;
  return value.replace(TIME_IN_BATCH, (_, time: string) => `"timestamp":${Number(time) + byMs}`);
}
