/** A time where the person is, and beside it that of another zone where its clocks show another one. */
import { useLingui } from '@lingui/react';
import { localeOf } from '../../texts/language.js';
import { textsOf } from '../../texts/texts.js';

const useText = textsOf('zoned-time', {
  there: { en: '{time} in {zone}', de: '{time} in {zone}' },
});

interface ZonedTimeProps {
  readonly at: string;
  /** Undefined: only the time here. */
  readonly zone?: string | undefined;
}

export function ZonedTime({ at, zone }: ZonedTimeProps) {
  const t = useText();
  const { i18n } = useLingui();
  const locale = localeOf(i18n.locale);
  const when = new Date(at);
  const here = written(locale, when, undefined);
  const there = zone === undefined ? here : written(locale, when, zone);
  return (
    <span className="zoned-time">
      <time dateTime={at}>{here}</time>
      {there === here ? null : <span className="small">{t('there', { time: there, zone: zone ?? '' })}</span>}
    </span>
  );
}

function written(locale: string, when: Date, timeZone: string | undefined): string {
  const style = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
  try {
    return new Intl.DateTimeFormat(locale, { ...style, timeZone }).format(when);
  } catch {
    // This browser does not know the zone.
    return new Intl.DateTimeFormat(locale, style).format(when);
  }
}

/** The zone of the person. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
