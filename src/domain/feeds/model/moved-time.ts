/** The times of a cron expression, and that to which the next one is moved when the clocks change. */
import { Cron } from 'croner';
import { clockOf } from './clock-of.js';

export interface CronSchedule {
  readonly cron: string;
  readonly timeZone: string;
}

const DAY_MS = 24 * 60 * 60_000;

export function readCron(cron: string, timeZone: string): Cron {
  return new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true });
}

/**
 * The change of the clocks to which the next time is moved because it is left out; null: it is not. Croner moves it too, but
 * not where its expression names several minutes or hours, nor where the clocks show the next day behind it: in Greenland they
 * go from 23:00 to midnight.
 */
export function movedTime({ cron, timeZone }: CronSchedule, after: Date): Date | null {
  // As the clocks would go on without a change.
  const shown = readCron(cron, 'UTC').nextRun(new Date(after.getTime() + clockAhead(timeZone, after)));
  if (shown === null) return null;
  // Not further back than a day, in which there is one change at most.
  let earlier = Math.max(after.getTime(), shown.getTime() - clockAhead(timeZone, shown) - DAY_MS);
  const before = clockAhead(timeZone, new Date(earlier));
  let later = shown.getTime() - before;
  const ahead = clockAhead(timeZone, new Date(later));
  if (ahead <= before) return null;
  while (later - earlier > 1) {
    const middle = Math.floor((earlier + later) / 2);
    if (clockAhead(timeZone, new Date(middle)) === before) earlier = middle;
    else later = middle;
  }
  return shown.getTime() < later + ahead ? new Date(later) : null;
}

/** How far the clocks of a zone are ahead of those of UTC, in milliseconds. */
function clockAhead(timeZone: string, at: Date): number {
  const shown = clockOf(timeZone).format(at);
  return Date.parse(`${shown.replace(' ', 'T')}Z`) - Math.floor(at.getTime() / 1000) * 1000;
}
