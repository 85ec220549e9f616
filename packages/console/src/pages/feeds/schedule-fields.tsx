/** When a feed runs, in words; the next times as the API reads them. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ChoiceInput } from '../../components/choice-input.js';
import { Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { type FieldProblems, fieldProblems } from '../../components/field-problems.js';
import { SuggestInput } from '../../components/suggest-input.js';
import { TextInput } from '../../components/text-input.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import {
  EVERY_MINUTES,
  EVERY_SECONDS,
  SCHEDULE_KINDS,
  type ScheduleKind,
  type ScheduleValues,
  scheduleOf,
} from './schedule.js';
import { useWeekdays } from './schedule-text.js';
import { ZonedTime } from './zoned-time.js';

const useText = textsOf('feed-schedule', {
  title: { en: 'When it runs', de: 'Wann er läuft' },
  kind: { en: 'How often', de: 'Wie oft' },
  none: { en: 'Only when somebody asks', de: 'Nur auf Anforderung' },
  arrival: { en: 'When a new file has arrived', de: 'Wenn eine neue Datei da ist' },
  minutes: { en: 'Every few minutes', de: 'Alle paar Minuten' },
  hourly: { en: 'Every hour', de: 'Jede Stunde' },
  daily: { en: 'Every day', de: 'Jeden Tag' },
  weekdays: { en: 'Monday to Friday', de: 'Montag bis Freitag' },
  weekly: { en: 'Every week', de: 'Jede Woche' },
  monthly: { en: 'Every month', de: 'Jeden Monat' },
  own: { en: 'By a cron expression', de: 'Nach einem Cron-Ausdruck' },
  seconds: { en: 'Look for it every so many seconds', de: 'Nachsehen alle so viele Sekunden' },
  every: { en: 'Minutes', de: 'Minuten' },
  minute: { en: 'At minute', de: 'Zur Minute' },
  time: { en: 'At', de: 'Um' },
  weekday: { en: 'On', de: 'Am' },
  day: { en: 'On day', de: 'Am Tag' },
  cron: { en: 'Cron expression', de: 'Cron-Ausdruck' },
  cronHelp: {
    en: 'Minute, hour, day of the month, month, day of the week',
    de: 'Minute, Stunde, Tag des Monats, Monat, Wochentag',
  },
  timeZone: { en: 'Time zone', de: 'Zeitzone' },
  next: { en: 'Next runs', de: 'Nächste Läufe' },
  expect: {
    en: 'Tell me when there was no new file for so many hours',
    de: 'Melden, wenn es so viele Stunden keine neue Datei gab',
  },
  expectHelp: {
    en: 'Empty: never. It is told here and by the event FEED_OVERDUE of webhooks.',
    de: 'Leer: nie. Gemeldet wird es hier und durch das Ereignis FEED_OVERDUE von Webhooks.',
  },
});

/** The next times are asked for when nothing was typed for so long. */
const PAUSE_MS = 350;

interface ScheduleFieldsProps {
  readonly values: ScheduleValues;
  readonly expectHours: string;
  readonly wrong: FieldProblems;
  readonly onChange: (change: Partial<ScheduleValues>) => void;
  readonly onExpect: (hours: string) => void;
  /** It takes files, and can run when one has arrived. */
  readonly takesFiles?: boolean;
  /** What else makes it run. */
  readonly children?: ReactNode;
}

export function ScheduleFields(props: ScheduleFieldsProps) {
  const { values, expectHours, wrong, onChange, onExpect, takesFiles = false, children } = props;
  const t = useText();
  const weekdays = useWeekdays();
  const { kind } = values;
  const { times, error } = useNextTimes(values);
  const said = new Map([...fieldProblems(error), ...wrong]);
  const ofCron = said.get('schedule.cron');
  const hasTime = kind === 'daily' || kind === 'weekdays' || kind === 'weekly' || kind === 'monthly';
  const field = (name: 'minute' | 'day' | 'cron', help?: string) => (
    <TextInput
      label={t(name)}
      help={help}
      error={ofCron}
      value={values[name]}
      onChange={(text) => onChange({ [name]: text })}
      autoComplete="off"
      spellCheck="false"
    />
  );
  return (
    <Section title={t('title')}>
      <div className="field-grid">
        <ChoiceInput
          label={t('kind')}
          value={kind}
          choices={SCHEDULE_KINDS.filter((id) => takesFiles || id !== 'arrival').map((id) => ({ id, label: t(id) }))}
          onChange={(chosen: ScheduleKind) => {
            // What was chosen in words is where one goes on with an expression.
            const present = scheduleOf(values);
            const cron = present !== null && 'cron' in present ? present.cron : values.cron;
            onChange({ kind: chosen, ...(chosen === 'own' ? { cron } : {}) });
          }}
        />
        {kind === 'arrival' ? (
          <ChoiceInput
            label={t('seconds')}
            value={values.seconds}
            choices={secondsWith(values.seconds).map((id) => ({ id, label: id }))}
            onChange={(seconds) => onChange({ seconds })}
          />
        ) : null}
        {kind === 'minutes' ? (
          <ChoiceInput
            label={t('every')}
            value={values.every}
            choices={EVERY_MINUTES.map((id) => ({ id, label: id }))}
            onChange={(every) => onChange({ every })}
          />
        ) : null}
        {kind === 'hourly' ? field('minute') : null}
        {kind === 'weekly' ? (
          <ChoiceInput
            label={t('weekday')}
            value={values.weekday}
            choices={weekdays}
            onChange={(weekday) => onChange({ weekday })}
          />
        ) : null}
        {kind === 'monthly' ? field('day') : null}
        {hasTime ? (
          <TextInput label={t('time')} type="time" value={values.time} onChange={(time) => onChange({ time })} />
        ) : null}
        {kind === 'own' ? field('cron', t('cronHelp')) : null}
        {kind === 'none' || kind === 'arrival' ? null : (
          <SuggestInput
            label={t('timeZone')}
            value={values.timeZone}
            known={ZONES}
            onChange={(timeZone) => onChange({ timeZone })}
          />
        )}
      </div>
      {[
        'schedule',
        'schedule.timeZone',
        'schedule.everySeconds',
        ...(hasTime || kind === 'minutes' ? ['schedule.cron'] : []),
      ].map((path) =>
        said.has(path) ? (
          <p key={path} className="field-error">
            {said.get(path)}
          </p>
        ) : null,
      )}
      {error !== null && fieldProblems(error).size === 0 ? <ErrorPanel error={error} /> : null}
      {times.length === 0 ? null : (
        <div className="next-times">
          <h3>{t('next')}</h3>
          <ol>
            {times.map((at) => (
              <li key={at}>
                <ZonedTime at={at} zone={values.timeZone} />
              </li>
            ))}
          </ol>
        </div>
      )}
      {children}
      <TextInput
        label={t('expect')}
        help={t('expectHelp')}
        error={said.get('expectWithinMinutes')}
        value={expectHours}
        onChange={onExpect}
        inputMode="decimal"
        autoComplete="off"
      />
    </Section>
  );
}

/** Those that are offered, and the one that was saved. */
function secondsWith(saved: string): readonly string[] {
  return EVERY_SECONDS.includes(saved)
    ? EVERY_SECONDS
    : [...EVERY_SECONDS, saved].sort((one, other) => Number(one) - Number(other));
}

const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** The next times of what the form says, once nobody types. */
function useNextTimes(values: ScheduleValues) {
  const api = useApi();
  const { stage } = usePresent();
  const wanted = JSON.stringify(scheduleOf(values));
  const [asked, setAsked] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { data, error } = useQuery({
    queryKey: ['next-times', stage.name, asked],
    enabled: asked !== 'null' && values.kind !== 'arrival',
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api.testFeed({ body: { schedule: JSON.parse(asked) } }, { signal }),
  });
  // It runs when something has arrived, and nobody knows when that will be.
  const isNone = wanted === 'null' || values.kind === 'arrival';
  return { times: isNone || error !== null ? [] : (data?.nextTimes ?? []), error: isNone ? null : error };
}
