/** When a feed runs: by a cron expression in a time zone, or when a look finds something new. */
import { Cron } from 'croner';

interface CronSchedule {
  readonly cron: string;
  readonly timeZone: string;
}

/** It is looked at so often, and runs only when something new has arrived. */
interface LookSchedule {
  readonly everySeconds: number;
}

export type Schedule = CronSchedule | LookSchedule;

interface ScheduleProblem {
  readonly member: keyof CronSchedule;
  readonly message: string;
}

/** The waits before a failed run is tried again, in minutes. */
const RETRY_MINUTES = [1, 5, 15, 30];
/** After so many failures one after another the interval grows, to this at most. */
const LONGEST_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;
/** How long a destination waits after the end of an import: others may end meanwhile, and are in the same file. */
export const AFTER_SECONDS = 15;

const PARTS = 'minute, hour, day of the month, month, day of the week';

/** What is wrong with a schedule; null: nothing. */
export function scheduleProblem(schedule: CronSchedule): ScheduleProblem | null {
  if (!isTimeZone(schedule.timeZone)) {
    const message = 'is not a time zone that is known here; expected a name such as Europe/Berlin or UTC';
    return { member: 'timeZone', message };
  }
  try {
    if (nextRun(schedule, new Date()) !== null) return null;
    return { member: 'cron', message: 'names a day that never comes' };
  } catch (error) {
    return { member: 'cron', message: `${reasonOf(error)}; expected five parts (${PARTS}), such as "30 2 * * *"` };
  }
}

/**
 * The first time after another one; null: there is none. A time that a change of the clocks leaves out is moved to their
 * change, and one that comes twice counts the first time.
 * @throws Error when the expression cannot be read
 */
export function nextRun(schedule: Schedule, after: Date): Date | null {
  if ('everySeconds' in schedule) return new Date(after.getTime() + schedule.everySeconds * 1000);
  const { cron, timeZone } = schedule;
  return new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true }).nextRun(after);
}

/** The next times, at most `most`. */
export function nextRuns(schedule: Schedule, after: Date, most: number): Date[] {
  const times: Date[] = [];
  for (let at = nextRun(schedule, after); at !== null && times.length < most; at = nextRun(schedule, at))
    times.push(at);
  return times;
}

/**
 * When a feed runs again after so many failures one after another: the first are tried again soon, in between its
 * schedule, and never more often than it is looked at. After them the interval doubles, up to a day; it never stops. Null: it
 * runs on request only.
 * @param follows whether it runs after imports, with or without a schedule
 */
export function nextAfterFailure(schedule: Schedule | null, failures: number, now: Date, follows = false): Date | null {
  const planned = schedule === null ? null : nextRun(schedule, now);
  if (planned === null && !follows) return null;
  const soon = RETRY_MINUTES[failures - 1];
  if (soon !== undefined) {
    const later = schedule !== null && 'everySeconds' in schedule ? Math.max : Math.min;
    return new Date(later(planned?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime() + soon * MINUTE_MS));
  }
  const growing = Math.min(LONGEST_MINUTES, 30 * 2 ** Math.min(12, failures - RETRY_MINUTES.length));
  return new Date(now.getTime() + growing * MINUTE_MS);
}

function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 know no summer.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^Cron\w*: /, '').replace(/\.$/, '');
}
