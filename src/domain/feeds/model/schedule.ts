/** When a feed runs: by a cron expression in a time zone, or when a look finds something new. */
import { counted } from '../../kernel/counted.js';
import { BREAKER_AFTER } from './feed-failure.js';
import { type CronSchedule, movedTime, readCron } from './moved-time.js';

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
const HOUR_MS = 60 * MINUTE_MS;
/** A failure that stays: the intervals grow to half a day, so that a daily schedule keeps its times. */
const LONGEST_LASTING_HOURS = 12;
/** The waits before a file that is still being written is looked at again, in minutes; a file that goes on growing, each hour. */
const GROWING_MINUTES = [2, 5, 10, 20, 40];
/** How long a destination waits after the end of an import: others may end meanwhile, and are in the same file. */
export const AFTER_SECONDS = 15;

const EXPECTED = 'expected five parts (minute, hour, day of the month, month, day of the week), such as "30 2 * * *"';

/** What is wrong with a schedule; null: nothing. */
export function scheduleProblem(schedule: CronSchedule): ScheduleProblem | null {
  if (!isTimeZone(schedule.timeZone)) {
    const message = 'is not a time zone that is known here; expected a name such as Europe/Berlin or UTC';
    return { member: 'timeZone', message };
  }
  const parts = schedule.cron.split(/\s+/).filter(Boolean).length;
  // Such as @daily.
  const isWord = schedule.cron.startsWith('@');
  if (parts !== 5 && !isWord) {
    const found = parts === 0 ? 'is empty' : `has ${counted(parts, 'part')}`;
    return { member: 'cron', message: `${found}; ${EXPECTED}` };
  }
  try {
    if (nextRun(schedule, new Date()) !== null) return null;
    return { member: 'cron', message: 'names a day that never comes' };
  } catch (error) {
    const reason = isWord ? `${schedule.cron} is not known` : reasonOf(error);
    return { member: 'cron', message: `${reason}; ${EXPECTED}` };
  }
}

/**
 * The first time after another one; null: there is none. A time that a change of the clocks leaves out is moved to their
 * change, unless another one follows within the hour, and one that comes twice counts the first time.
 * @throws Error when the expression cannot be read
 */
export function nextRun(schedule: Schedule, after: Date): Date | null {
  if ('everySeconds' in schedule) return new Date(after.getTime() + schedule.everySeconds * 1000);
  const { cron, timeZone } = schedule;
  const next = readCron(cron, timeZone).nextRun(after);
  const moved = movedTime(schedule, after);
  if (moved === null) return next;
  // A run within the hour is that of the time which is left out, or takes its place.
  return next === null || next.getTime() - moved.getTime() >= HOUR_MS ? moved : next;
}

/**
 * The next time of a feed that is well; null: it runs on request only.
 * @param follows whether imports have ended after which it runs
 */
export function nextPlanned(schedule: Schedule | null, follows: boolean, now: Date): Date | null {
  const planned = schedule === null ? null : nextRun(schedule, now);
  const soon = new Date(now.getTime() + AFTER_SECONDS * 1000);
  return follows && (planned === null || soon < planned) ? soon : planned;
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

/**
 * When a feed runs again after a failure that stays until somebody does something: not before its next time, so that no
 * account is locked. From the fifth on the times of its schedule are left out for longer and longer. A feed that is looked at
 * every so often has no next time that would be far enough. Null: it runs on request only.
 * @param times how often it has failed one after another
 * @param isCalled whether it runs when others call it or have ended, with or without a schedule
 */
export function nextAfterLasting(schedule: Schedule | null, times: number, now: Date, isCalled = false): Date | null {
  const after = (hours: number, most: number) => new Date(now.getTime() + Math.min(most, hours) * HOUR_MS);
  const over = Math.min(12, times - BREAKER_AFTER);
  if (schedule === null) return isCalled && over >= 0 ? after(2 ** over, LONGEST_LASTING_HOURS) : null;
  if ('everySeconds' in schedule) return after(2 ** Math.min(12, times - 1), LONGEST_LASTING_HOURS);
  return nextRun(schedule, over < 0 ? now : after(2 ** over, LONGEST_LASTING_HOURS));
}

/**
 * When a feed looks again at files that were not complete; null: not before its next time.
 * @param times how many runs have left some since the last planned one, this one included
 * @param isGrowing whether one of them was changed meanwhile: what only lacks its marker may lack it for ever
 */
export function nextForGrowing(times: number, isGrowing: boolean, now: Date): Date | null {
  const minutes = GROWING_MINUTES[times - 1] ?? (isGrowing ? 60 : undefined);
  return minutes === undefined ? null : new Date(now.getTime() + minutes * MINUTE_MS);
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
  // Croner counts days and months from 0.
  const said = text.replace(/(?<=Invalid value for (?:day|month): )-?\d+/, (number) => String(Number(number) + 1));
  return said.replace(/^Cron\w*: /, '').replace(/\.$/, '');
}
