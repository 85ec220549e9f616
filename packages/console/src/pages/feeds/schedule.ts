/** Schedules in words: those that people mostly want, and cron expressions for all others. */

export const SCHEDULE_KINDS = [
  'none',
  'arrival',
  'minutes',
  'hourly',
  'daily',
  'weekdays',
  'weekly',
  'monthly',
  'own',
] as const;
export type ScheduleKind = (typeof SCHEDULE_KINDS)[number];

export const EVERY_MINUTES = ['5', '10', '15', '20', '30'] as const;
export const EVERY_SECONDS: readonly string[] = ['15', '30', '60', '300', '900'];

/** As the API has it: by a cron expression, or looked at every so often. */
export type Schedule = { readonly cron: string; readonly timeZone: string } | { readonly everySeconds: number };

/** What the form holds, whichever kind is chosen. */
export interface ScheduleValues {
  readonly kind: ScheduleKind;
  /** Of `arrival`: it is looked at every so many seconds. */
  readonly seconds: string;
  /** Of `minutes`: how many. */
  readonly every: string;
  /** Of `hourly`: the minute. */
  readonly minute: string;
  /** `02:30` */
  readonly time: string;
  /** From 0, which is Sunday. */
  readonly weekday: string;
  readonly day: string;
  readonly cron: string;
  readonly timeZone: string;
}

export function newSchedule(timeZone: string): ScheduleValues {
  return {
    ...{
      kind: 'daily',
      seconds: '60',
      every: '15',
      minute: '0',
      time: '02:30',
      weekday: '1',
      day: '1',
      cron: '30 2 * * *',
    },
    timeZone,
  };
}

/** @returns null: it runs on request only */
export function scheduleOf(values: ScheduleValues): Schedule | null {
  const { kind, seconds, every, minute, time, weekday, day, cron, timeZone } = values;
  const [hours = '', minutes = ''] = time.split(':').map((part) => String(Number(part)));
  const at = `${minutes} ${hours}`;
  const texts: Readonly<Record<Exclude<ScheduleKind, 'none' | 'arrival'>, string>> = {
    minutes: `*/${every} * * * *`,
    hourly: `${minute.trim()} * * * *`,
    daily: `${at} * * *`,
    weekdays: `${at} * * 1-5`,
    weekly: `${at} * * ${weekday}`,
    monthly: `${at} ${day.trim()} * *`,
    own: cron.trim(),
  };
  if (kind === 'none') return null;
  if (kind === 'arrival') return { everySeconds: Number(seconds) };
  return { cron: texts[kind], timeZone: timeZone.trim() };
}

/** What a form shows of a saved schedule. */
export function valuesOfSchedule(schedule: Schedule | null, ownTimeZone: string): ScheduleValues {
  const first = newSchedule(zoneOf(schedule) ?? ownTimeZone);
  if (schedule === null) return { ...first, kind: 'none' };
  if ('everySeconds' in schedule) return { ...first, kind: 'arrival', seconds: String(schedule.everySeconds) };
  const { cron } = schedule;
  return { ...first, cron, kind: 'own', ...inWords(cron) };
}

/** The time zone of a schedule by the clock. */
export function zoneOf(schedule: Schedule | null): string | undefined {
  return schedule === null || 'everySeconds' in schedule ? undefined : schedule.timeZone;
}

/** What an expression says in one of the kinds; undefined: it is none of them. */
function inWords(cron: string): Partial<ScheduleValues> | undefined {
  const parts = cron.trim().split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  if (parts.length !== 5 || month !== '*') return undefined;
  const isEveryDay = day === '*' && weekday === '*';
  const [, every = ''] = /^\*\/(\d+)$/.exec(minute) ?? [];
  if (EVERY_MINUTES.some((one) => one === every) && hour === '*' && isEveryDay) return { kind: 'minutes', every };
  if (!isNumber(minute, 59)) return undefined;
  if (hour === '*' && isEveryDay) return { kind: 'hourly', minute: String(Number(minute)) };
  if (!isNumber(hour, 23)) return undefined;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (isEveryDay) return { kind: 'daily', time };
  if (day === '*' && weekday === '1-5') return { kind: 'weekdays', time };
  if (day === '*' && isNumber(weekday, 7)) return { kind: 'weekly', time, weekday: String(Number(weekday) % 7) };
  if (weekday === '*' && isNumber(day, 31)) return { kind: 'monthly', time, day };
  return undefined;
}

function isNumber(text: string, most: number): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) <= most;
}
