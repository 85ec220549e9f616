/** Rows and deliveries by day. */
import type { schemas } from '@longshore/client';
import { Section } from '../../components/content.js';
import { DayPlot, type Series } from '../../components/day-plot.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { eachDay, lastDays } from './days.js';

const useText = textsOf('overview-plots', {
  rows: { en: 'Rows by day', de: 'Zeilen nach Tagen' },
  noRows: { en: 'No rows were imported in these days.', de: 'In diesen Tagen wurden keine Zeilen importiert.' },
  created: { en: 'Created', de: 'Angelegt' },
  updated: { en: 'Changed', de: 'Geändert' },
  unchanged: { en: 'Unchanged', de: 'Unverändert' },
  failed: { en: 'Failed', de: 'Fehlgeschlagen' },
  deliveries: { en: 'Webhook deliveries by day', de: 'Webhook-Zustellungen nach Tagen' },
  noDeliveries: { en: 'No events were sent in these days.', de: 'In diesen Tagen wurden keine Ereignisse gesendet.' },
  delivered: { en: 'Delivered', de: 'Zugestellt' },
  pending: { en: 'Waiting', de: 'Wartend' },
  failedDeliveries: { en: 'Failed or cancelled', de: 'Fehlgeschlagen oder abgebrochen' },
  later: {
    en: 'Counted since {time}: there is too much before that.',
    de: 'Gezählt seit {time}: Davor ist es zu viel.',
  },
});

type JobDay = schemas.JobStatistics['days'][number];
type DeliveryDay = schemas.DeliveryStatistics['days'][number];

export function RowsByDay({ statistics: { since, days } }: { readonly statistics: schemas.JobStatistics }) {
  const t = useText();
  const series: Series<JobDay>[] = [
    { id: 'created', title: t('created'), colour: 'first', countOf: ({ created }) => created },
    { id: 'updated', title: t('updated'), colour: 'second', countOf: ({ updated }) => updated },
    { id: 'unchanged', title: t('unchanged'), colour: 'third', countOf: ({ unchanged }) => unchanged },
    { id: 'failed', title: t('failed'), colour: 'bad', countOf: ({ failed }) => failed },
  ];
  const nothing = { jobs: 0, failedJobs: 0, created: 0, updated: 0, unchanged: 0, failed: 0, errors: [] };
  return (
    <Section title={t('rows')} note={useLater(since)}>
      {days.length === 0 ? (
        <p className="note">{t('noRows')}</p>
      ) : (
        <DayPlot title={t('rows')} days={eachDay(days, nothing)} series={series} />
      )}
    </Section>
  );
}

export function DeliveriesByDay({ statistics: { since, days } }: { readonly statistics: schemas.DeliveryStatistics }) {
  const t = useText();
  const series: Series<DeliveryDay>[] = [
    { id: 'delivered', title: t('delivered'), colour: 'first', countOf: ({ delivered }) => delivered },
    { id: 'pending', title: t('pending'), colour: 'third', countOf: ({ pending }) => pending },
    { id: 'failed', title: t('failedDeliveries'), colour: 'bad', countOf: ({ failed }) => failed },
  ];
  return (
    <Section title={t('deliveries')} note={useLater(since)}>
      {days.length === 0 ? (
        <p className="note">{t('noDeliveries')}</p>
      ) : (
        <DayPlot
          title={t('deliveries')}
          days={eachDay(days, { events: 0, delivered: 0, pending: 0, failed: 0 })}
          series={series}
        />
      )}
    </Section>
  );
}

/** Said where the API has counted fewer days than were asked for. */
function useLater(since: string): string | undefined {
  const t = useText();
  const format = useFormat();
  const [first = ''] = lastDays();
  const dayAfter = new Date(Date.parse(first) + 2 * 86_400_000);
  return new Date(since) > dayAfter ? t('later', { time: format.time(since) }) : undefined;
}
