/** Schedules in words: those that people mostly want, and cron expressions for all others. */

export const SCHEDULE_KINDS = ['none', 'minutes', 'hourly', 'daily', 'weekdays', 'weekly', 'monthly', 'own'] as const;
export type ScheduleKind = (typeof SCHEDULE_KINDS)[number];

export const EVERY_MINUTES = ['5', '10', '15', '20', '30'] as const;

/** What the form holds, whichever kind is chosen. */
export interface ScheduleValues {
  readonly kind: ScheduleKind;
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
    ...{ kind: 'daily', every: '15', minute: '0', time: '02:30', weekday: '1', day: '1', cron: '30 2 * * *' },
    timeZone,
  };
}

/** @returns null: it runs on request only */
export function scheduleOf(values: ScheduleValues): { readonly cron: string; readonly timeZone: string } | null {
  const { kind, every, minute, time, weekday, day, cron, timeZone } = values;
  const [hours = '', minutes = ''] = time.split(':').map((part) => String(Number(part)));
  const at = `${minutes} ${hours}`;
  const texts: Readonly<Record<Exclude<ScheduleKind, 'none'>, string>> = {
    minutes: `*/${every} * * * *`,
    hourly: `${minute.trim()} * * * *`,
    daily: `${at} * * *`,
    weekdays: `${at} * * 1-5`,
    weekly: `${at} * * ${weekday}`,
    monthly: `${at} ${day.trim()} * *`,
    own: cron.trim(),
  };
  return kind === 'none' ? null : { cron: texts[kind], timeZone: timeZone.trim() };
}

/** What a form shows of a saved schedule. */
export function valuesOfSchedule(
  schedule: { readonly cron: string; readonly timeZone: string } | null,
  ownTimeZone: string,
): ScheduleValues {
  const first = newSchedule(schedule?.timeZone ?? ownTimeZone);
  if (schedule === null) return { ...first, kind: 'none' };
  const { cron } = schedule;
  return { ...first, cron, kind: 'own', ...inWords(cron) };
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
