/** A day of load on a simulated fleet that has as many workers as wantedWorkers wants: for its test and for its plot. */
import { type GroupState, wantedWorkers } from '../../../src/workers/maintenance/wanted-workers.js';

export const DAY_SECONDS = 86_400;
/** The leader measures so often. */
const STEP_SECONDS = 5;
const SLOTS = 4;
/** How long a worker takes to start. */
const START_SECONDS = 45;
/** Averages as those of the leader. */
const RECENT_SECONDS = 60;
const USUAL_SECONDS = 86_400;

interface Scenario {
  readonly name: string;
  /** Slot-seconds of work that arrive each second, at a second of the day. */
  readonly arrival: (second: number) => number;
  /** What of the backlog may run at once. Default: all. */
  readonly parallel?: (second: number, backlog: number) => number;
  /** Workers whose work the database can do; beyond these all get slower. Default: no limit. */
  readonly databaseWorkers?: number;
  /** How much longer the same work takes, whoever does it. Default: 1. */
  readonly slowness?: (second: number) => number;
  readonly reversalsAtMost: number;
  /** The longest time that the backlog would have taken with the workers that ran. */
  readonly waitAtMost: number;
  readonly leftAtMost: number;
  /** What limits the workers at some time, and to how many when it ends. */
  readonly limits?: readonly { readonly by: string; readonly most: number }[];
}

interface SimulatedMoment {
  readonly second: number;
  readonly arrival: number;
  readonly backlog: number;
  readonly workers: number;
  readonly wanted: number;
  readonly unlimited: number;
  readonly limitedBy: string | null;
  readonly waitSeconds: number;
}

const HOUR = 3_600;
const between = (second: number, from: number, to: number) => second >= from * HOUR && second < to * HOUR;
/** Deterministic noise between -1 and 1, other in each step. */
const noise = (second: number) => Math.sin(second * 12.9898) * Math.cos(second * 78.233);

/** More of everything in the daytime, as shops have it. */
const daytime = (second: number) =>
  Math.max(0, 6 - 5 * Math.cos((second / DAY_SECONDS) * 2 * Math.PI) + 2 * noise(second));

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a calm day and steps',
    arrival: (second) => daytime(second) + (between(second, 9, 12) ? 20 : 0) + (between(second, 20, 21) ? 40 : 0),
    ...{ reversalsAtMost: 5, waitAtMost: 240, leftAtMost: 50 },
  },
  {
    name: 'spikes of five minutes',
    arrival: (second) => daytime(second) + (second % (2 * HOUR) < 300 ? 40 : 0),
    // Twelve spikes, each of them up once and down once.
    ...{ reversalsAtMost: 24, waitAtMost: 480, leftAtMost: 50 },
  },
  {
    name: 'one giant tenant, whose jobs run in order',
    arrival: (second) => daytime(second) / 2 + (between(second, 10, 10.5) ? 40 : 0),
    parallel: (second, backlog) => (second >= 10 * HOUR && backlog > 500 ? 12 : backlog),
    ...{ reversalsAtMost: 3, waitAtMost: 3_600, leftAtMost: 50 },
    limits: [{ by: 'parallelism', most: 5 }],
  },
  {
    name: 'a slow database for two hours',
    arrival: daytime,
    slowness: (second) => (between(second, 14, 16) ? 3 : 1),
    ...{ reversalsAtMost: 3, waitAtMost: 120, leftAtMost: 50 },
  },
  {
    name: 'a database that is saturated by six workers',
    arrival: (second) => daytime(second) / 2 + (between(second, 10, 12) ? 30 : 0),
    databaseWorkers: 6,
    ...{ reversalsAtMost: 10, waitAtMost: 3_600, leftAtMost: 50 },
    limits: [{ by: 'database', most: 11 }],
  },
];

/** Runs a day, in which workers start some time after they are wanted, and end at once. */
export function simulateDay(scenario: Scenario): readonly SimulatedMoment[] {
  const { arrival, parallel, databaseWorkers = Number.POSITIVE_INFINITY, slowness: outer = () => 1 } = scenario;
  const moments: SimulatedMoment[] = [];
  const kept = Math.exp(-STEP_SECONDS / RECENT_SECONDS);
  const usuallyKept = Math.exp(-STEP_SECONDS / USUAL_SECONDS);
  let state: GroupState | null = null;
  let starting: number[] = [];
  let workers = 1;
  let backlog = 0;
  let averageArrival = 0;
  // Slot-seconds that were taken, and what they would be at the speed of an idle database.
  let recent = { took: 0, work: 0 };
  let usual = 1;
  for (let second = 0; second < DAY_SECONDS; second += STEP_SECONDS) {
    workers += starting.filter((readyAt) => readyAt <= second).length;
    starting = starting.filter((readyAt) => readyAt > second);
    const now = arrival(second);
    backlog += now * STEP_SECONDS;
    const mayRun = parallel?.(second, backlog) ?? backlog;
    const busy = Math.min(workers * SLOTS, mayRun, backlog / STEP_SECONDS);
    const slowness = outer(second) * Math.max(1, busy / SLOTS / databaseWorkers);
    const work = (busy * STEP_SECONDS) / slowness;
    backlog -= work;
    recent = { took: recent.took * kept + busy * STEP_SECONDS, work: recent.work * kept + work };
    const perUnit = recent.work > 0 ? recent.took / recent.work : 1;
    usual = usual * usuallyKept + perUnit * (1 - usuallyKept);
    averageArrival = averageArrival * kept + now * perUnit * (1 - kept);
    const answer = wantedWorkers(
      {
        at: second * 1000,
        workers,
        slots: SLOTS,
        arrival: averageArrival,
        due: backlog * perUnit,
        parallel: mayRun,
        slowness: recent.took < 1 ? null : perUnit / usual,
        roomForWorkers: 30 - workers,
      },
      state,
    );
    state = answer.state;
    const { wanted, unlimited, limitedBy } = answer;
    for (let more = workers + starting.length; more < wanted; more++) starting.push(second + START_SECONDS);
    if (wanted < workers + starting.length) {
      starting = starting.slice(0, Math.max(0, wanted - workers));
      workers = Math.min(workers, wanted);
    }
    const waitSeconds = (backlog * perUnit) / (workers * SLOTS);
    moments.push({ second, arrival: now, backlog, workers, wanted, unlimited, limitedBy, waitSeconds });
  }
  return moments;
}
