/** What goes wrong most, by day: whether it became more or less. */
import type { schemas } from '@longshore/client';
import { DayPlot, type Series } from '../../components/day-plot.js';
import { textsOf } from '../../texts/texts.js';
import { meaningOf, useErrorText } from '../imports/error-texts.js';
import { eachDay } from './days.js';

const useText = textsOf('overview-errors-by-day', {
  title: { en: 'Errors by day', de: 'Fehler nach Tagen' },
  others: { en: 'Other errors', de: 'Andere Fehler' },
});

type JobDay = schemas.JobStatistics['days'][number];

/** As many as there are colours that can be told apart; what means the same to a reader is one of them. */
const SHOWN = 3;
const COLOURS = ['bad', 'first', 'second'] as const;
const NOTHING = { jobs: 0, failedJobs: 0, created: 0, updated: 0, unchanged: 0, failed: 0, errors: [] };

export function ErrorsByDay({ days }: { readonly days: readonly JobDay[] }) {
  const t = useText();
  const text = useErrorText();
  const sums = new Map<string, number>();
  for (const { code, rows } of days.flatMap(({ errors }) => errors)) {
    if (code !== null) sums.set(titleOf(code), (sums.get(titleOf(code)) ?? 0) + rows);
  }
  if (days.every(({ errors }) => errors.length === 0)) return null;
  function titleOf(code: string): string {
    return text(meaningOf(code));
  }
  const titles = [...sums].sort(([, a], [, b]) => b - a).map(([title]) => title);
  const shown = titles.slice(0, SHOWN);
  const countOf = (isMeant: (title: string | null) => boolean) => (day: JobDay) =>
    day.errors.reduce((sum, { code, rows }) => sum + (isMeant(code === null ? null : titleOf(code)) ? rows : 0), 0);
  const series: Series<JobDay>[] = shown.map((title, nth) => ({
    ...{ id: title, title, colour: COLOURS[nth] ?? 'second' },
    countOf: countOf((one) => one === title),
  }));
  const ofOthers = countOf((one) => one === null || !shown.includes(one));
  if (days.some((day) => ofOthers(day) > 0)) {
    series.push({ id: 'others', title: t('others'), colour: 'third', countOf: ofOthers });
  }
  return <DayPlot title={t('title')} days={eachDay(days, NOTHING)} series={series} />;
}
