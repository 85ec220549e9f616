/** Writes numbers, times and sizes as the language that is shown does. */
import { useLingui } from '@lingui/react';
import { useMemo } from 'react';
import { localeOf } from './language.js';

export interface Format {
  number(value: number, options?: Intl.NumberFormatOptions): string;
  percent(share: number): string;
  /** A day such as `2026-11-21`, whatever the zone. */
  day(value: string): string;
  /** A time of the day. */
  clock(value: string | Date): string;
  /** A day and a time. */
  time(value: string | Date): string;
  /** `3 minutes ago`; an older time is written out. */
  ago(value: string | Date): string;
  duration(milliseconds: number): string;
  bytes(count: number): string;
  list(values: readonly string[]): string;
  /** In the order in which people look for names: `ä` beside `a`, and `10` after `9`. */
  byName<T extends { readonly name: string }>(named: readonly T[]): T[];
}

export function useFormat(): Format {
  const { i18n } = useLingui();
  return useMemo(() => formatOf(localeOf(i18n.locale)), [i18n.locale]);
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

function formatOf(locale: string): Format {
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const order = new Intl.Collator(locale, { numeric: true });
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  const unit = (value: number, name: string, digits = 0) =>
    new Intl.NumberFormat(locale, {
      style: 'unit',
      unit: name,
      // In short, English has no plural of it: 53 byte.
      unitDisplay: name === 'byte' ? 'long' : 'short',
      maximumFractionDigits: digits,
    }).format(value);
  return {
    number: (value, options) => (options === undefined ? number : new Intl.NumberFormat(locale, options)).format(value),
    percent: (share) => percent.format(share),
    day: (value) => day.format(new Date(value)),
    clock: (value) => clock.format(new Date(value)),
    time: (value) => time.format(new Date(value)),
    ago: (value) => {
      const passed = Date.now() - new Date(value).getTime();
      if (passed < MINUTE) return relative.format(0, 'minute');
      if (passed < HOUR) return relative.format(-Math.floor(passed / MINUTE), 'minute');
      if (passed < DAY) return relative.format(-Math.floor(passed / HOUR), 'hour');
      return time.format(new Date(value));
    },
    duration: (milliseconds) => {
      if (milliseconds < SECOND) return unit(milliseconds, 'millisecond');
      if (milliseconds < MINUTE) return unit(milliseconds / SECOND, 'second', milliseconds < 10 * SECOND ? 1 : 0);
      const [large, small, each, rest] =
        milliseconds < HOUR
          ? ([MINUTE, SECOND, 'minute', 'second'] as const)
          : ([HOUR, MINUTE, 'hour', 'minute'] as const);
      const left = Math.floor((milliseconds % large) / small);
      const whole = unit(Math.floor(milliseconds / large), each);
      return left === 0 ? whole : `${whole} ${unit(left, rest)}`;
    },
    bytes: (count) => {
      const power = Math.min(Math.floor(Math.log10(Math.max(count, 1)) / 3), SIZES.length - 1);
      return unit(count / 1000 ** power, SIZES[power] ?? 'byte', power < 2 ? 0 : 1);
    },
    list: (values) => list.format(values),
    byName: (named) => [...named].sort((a, b) => order.compare(a.name, b.name)),
  };
}
