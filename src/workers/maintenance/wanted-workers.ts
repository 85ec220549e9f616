/**
 * How many worker processes a group should have: a pure function of what was measured and of its own last answer. The
 * unit of work is the second of a worker slot, never the job: see docs/decisions/0065-workers-wanted.md.
 */

/** What was measured of one group. */
export interface GroupMeasured {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The processes that serve the group now. */
  readonly workers: number;
  /** What one of them executes at once. */
  readonly slots: number;
  /** Slot-seconds of work that arrive each second. */
  readonly arrival: number;
  /** Slot-seconds of work that waits or runs. */
  readonly due: number;
  /** How much of the work may run at once, in slots: what is on the queue, for the rest of a site waits for it. */
  readonly parallel: number;
  /**
   * How much longer a slot takes for the same work than it usually does: 1 as usual, 2 twice as long. Null: not known,
   * as too little is done, or not the database's doing.
   */
  readonly slowness: number | null;
  /** How many more processes Postgres has connections for. */
  readonly roomForWorkers: number;
}

export const LIMITS = ['parallelism', 'database', 'connections'] as const;

/** What the next answer depends on. JSON. */
export interface GroupState {
  readonly wanted: number;
  /** When `wanted` changed last, in milliseconds since 1970. */
  readonly changedAt: number;
  /** Since when fewer have been enough, without a break; null: they are not. */
  readonly lessSince: number | null;
  /** What the database did before the last workers were added, to be compared with what it does now. */
  readonly before: { readonly workers: number; readonly slowness: number; readonly addedAt: number } | null;
  /** With more workers the database does no more, as was found at `foundAt`; and how slow it was with few. */
  readonly ceiling: { readonly workers: number; readonly slowness: number; readonly foundAt: number } | null;
  /** The number of workers and their slowness when they were measured last. */
  readonly last: { readonly workers: number; readonly slowness: number | null };
}

interface Wanted {
  readonly wanted: number;
  /** What the work alone would want. */
  readonly unlimited: number;
  /** What keeps `wanted` below that; null: nothing. */
  readonly limitedBy: (typeof LIMITS)[number] | null;
  readonly state: GroupState;
}

/** Workers are busy for at most so much of their time, so that work that arrives unevenly does not wait. */
const BUSY_SHARE = 0.7;
/** Work that waits is to be done within so many seconds. */
const TARGET_SECONDS = 60;
const DOWN_EVERY_MS = 5 * 60_000;
/** What added workers do is judged after so long. */
const SETTLE_MS = 120_000;
/** Added workers have to do at least so much of what they should add, or the database is saturated. */
const LEAST_GAIN = 0.3;
/** A ceiling is so much higher than what the database was found to do. */
const MORE = 1.1;
/** A ceiling is tried again after so long, by one worker. */
const RETRY_MS = 30 * 60_000;
/** The database has recovered when its time is less than this share of that before the workers were added. */
const RECOVERED = 0.7;

/**
 * Decides how many workers a group should have. It goes up at once, and down by one per five minutes.
 * @param state of the last answer; null: there is none
 */
export function wantedWorkers(measured: GroupMeasured, state: GroupState | null): Wanted {
  const { at, workers, slots, arrival, due, parallel, roomForWorkers } = measured;
  const needed = Math.max(arrival / BUSY_SHARE, due / TARGET_SECONDS);
  const unlimited = atLeastOne(Math.ceil(needed / slots));
  const { before, ceiling } = saturation(measured, state);
  const caps = {
    // As with arrival: slots that are busy all the time keep work waiting.
    parallelism: atLeastOne(Math.ceil(parallel / BUSY_SHARE / slots)),
    database: ceiling === null ? Number.POSITIVE_INFINITY : atLeastOne(ceiling.workers),
    connections: atLeastOne(workers + Math.max(0, Math.floor(roomForWorkers))),
  };
  const goal = Math.min(unlimited, caps.parallelism, caps.database, caps.connections);
  const limitedBy = goal === unlimited ? null : (LIMITS.find((limit) => caps[limit] === goal) ?? null);
  const lessSince = state === null || goal >= state.wanted ? null : (state.lessSince ?? at);
  const wanted = state === null || goal >= state.wanted ? goal : lowered(state, lessSince, at);
  const changedAt = state === null || wanted !== state.wanted ? at : state.changedAt;
  const last = { workers, slowness: measured.slowness };
  return { wanted, unlimited, limitedBy, state: { wanted, changedAt, lessSince, before, ceiling, last } };
}

/** One fewer, if that many have been too many for five minutes. */
function lowered({ wanted, changedAt }: GroupState, lessSince: number | null, at: number): number {
  const since = Math.max(changedAt, lessSince ?? at);
  return at - since >= DOWN_EVERY_MS ? wanted - 1 : wanted;
}

/** Whether the last workers that were added have only made all of them slower. */
function saturation(
  { at, workers, slowness }: GroupMeasured,
  state: GroupState | null,
): Pick<GroupState, 'before' | 'ceiling'> {
  if (state === null) return { before: null, ceiling: null };
  let { before, ceiling } = state;
  const { last } = state;
  if (workers > last.workers && last.workers > 0 && last.slowness !== null) {
    // Workers that follow within a short time are judged together with these.
    before = { workers: last.workers, slowness: last.slowness, ...before, addedAt: at };
  }
  if (before !== null && workers <= before.workers) before = null;
  if (before !== null && slowness !== null && at - before.addedAt >= SETTLE_MS) {
    // So many workers would do the work, were all of them as fast as before.
    const effective = (workers * before.slowness) / slowness;
    if (effective - before.workers < LEAST_GAIN * (workers - before.workers)) {
      const most = Math.max(before.workers, Math.min(workers - 1, Math.ceil(effective * MORE)));
      ceiling = { workers: most, slowness: before.slowness, foundAt: at };
    }
    before = null;
  }
  if (ceiling !== null && slowness !== null && workers >= ceiling.workers) {
    if (slowness < RECOVERED * ceiling.slowness) ceiling = null;
  }
  if (ceiling !== null && at - ceiling.foundAt >= RETRY_MS) {
    ceiling = { ...ceiling, workers: ceiling.workers + 1, foundAt: at };
  }
  return { before, ceiling };
}

function atLeastOne(workers: number): number {
  return Math.max(1, workers);
}
