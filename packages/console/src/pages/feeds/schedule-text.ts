/** A schedule as one says it. */
import { useLingui } from '@lingui/react';
import { localeOf } from '../../texts/language.js';
import { textsOf } from '../../texts/texts.js';
import { type Schedule, valuesOfSchedule } from './schedule.js';

const useText = textsOf('schedule-text', {
  none: { en: 'only on request', de: 'nur auf Anforderung' },
  arrival: {
    en: 'when a new file has arrived; it is looked for every {seconds} seconds',
    de: 'wenn eine neue Datei da ist; alle {seconds} Sekunden wird nachgesehen',
  },
  minutes: { en: 'every {every} minutes', de: 'alle {every} Minuten' },
  hourly: { en: 'every hour at minute {minute}', de: 'jede Stunde zur Minute {minute}' },
  daily: { en: 'every day at {time}', de: 'jeden Tag um {time}' },
  weekdays: { en: 'Monday to Friday at {time}', de: 'Montag bis Freitag um {time}' },
  weekly: { en: 'every {weekday} at {time}', de: 'jeden {weekday} um {time}' },
  monthly: { en: 'on day {day} of each month at {time}', de: 'am {day}. jedes Monats um {time}' },
  own: { en: 'by the cron expression {cron}', de: 'nach dem Cron-Ausdruck {cron}' },
});

export function useScheduleText(): (schedule: Schedule | null) => string {
  const t = useText();
  const weekdays = useWeekdays();
  return (schedule) => {
    const { kind, seconds, every, minute, time, weekday, day, cron } = valuesOfSchedule(schedule, '');
    const name = weekdays.find(({ id }) => id === weekday)?.label ?? weekday;
    return t(kind, { seconds, every, minute, time, weekday: name, day, cron });
  };
}

/** The days of the week from Monday on, by their numbers in cron expressions. */
export function useWeekdays(): readonly { readonly id: string; readonly label: string }[] {
  const { i18n } = useLingui();
  const format = new Intl.DateTimeFormat(localeOf(i18n.locale), { weekday: 'long', timeZone: 'UTC' });
  // 2026-11-22 is a Sunday.
  return [1, 2, 3, 4, 5, 6, 0].map((day) => ({
    id: String(day),
    label: format.format(new Date(Date.UTC(2026, 10, 22 + day))),
  }));
}
