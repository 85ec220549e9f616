/** What one sees first: what waits for somebody, what happened in the last days, and what goes wrong most. */
import { useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../components/button.js';
import { EmptyState } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { useMay, useMayImport } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { Errors } from './errors.js';
import { DeliveriesByDay, RowsByDay } from './plots.js';
import { useDefinitions, useDeliveryStatistics, useJobStatistics } from './use-overview.js';
import { Waiting } from './waiting.js';

const useText = textsOf('overview', {
  title: { en: 'Overview', de: 'Übersicht' },
  note: {
    en: 'What waits for you, and what happened in this stage in the last 14 days.',
    de: 'Was auf Sie wartet, und was in dieser Stage in den letzten 14 Tagen geschehen ist.',
  },
  newTitle: { en: 'Begin with a file', de: 'Beginnen Sie mit einer Datei' },
  newText: {
    en: 'This stage is still empty. Import a file as your shop or your ERP writes it; you see what would change before anything happens. Webhooks then tell other systems what has changed.',
    de: 'Diese Stage ist noch leer. Importieren Sie eine Datei, wie Ihr Shop oder Ihr ERP sie schreibt; Sie sehen, was sich ändern würde, bevor etwas geschieht. Webhooks sagen danach anderen Systemen, was sich geändert hat.',
  },
  importFile: { en: 'Import a file', de: 'Datei importieren' },
  addWebhook: { en: 'Add a webhook', de: 'Webhook anlegen' },
});

export function OverviewPage() {
  const t = useText();
  const params = useParams({ from: '/$stage' });
  const jobs = useJobStatistics();
  const deliveries = useDeliveryStatistics();
  const definitions = useDefinitions();
  const mayImport = useMayImport();
  const mayAdd = useMay('webhooks:write');
  const error = jobs.error ?? deliveries.error ?? definitions.error;
  const isNew =
    jobs.data !== undefined &&
    Object.keys(jobs.data.statuses).length === 0 &&
    (definitions.data ?? []).length === 0 &&
    (deliveries.data?.days ?? []).length === 0;
  return (
    <Page title={t('title')} note={t('note')}>
      {error === null ? null : (
        <ErrorPanel
          error={error}
          onRetry={() => {
            for (const { refetch } of [jobs, deliveries, definitions]) void refetch();
          }}
        />
      )}
      {isNew ? (
        <EmptyState
          title={t('newTitle')}
          icon="imports"
          action={
            <div className="actions">
              {mayImport ? (
                <ButtonLink kind="primary" icon="imports" to="/$stage/imports/new" params={params}>
                  {t('importFile')}
                </ButtonLink>
              ) : null}
              {mayAdd ? (
                <ButtonLink icon="webhooks" to="/$stage/webhooks/new" params={params}>
                  {t('addWebhook')}
                </ButtonLink>
              ) : null}
            </div>
          }
        >
          {t('newText')}
        </EmptyState>
      ) : (
        <>
          <Waiting definitions={definitions} isToldOfError={error !== null} />
          <div className="plots">
            {jobs.data === undefined ? null : <RowsByDay statistics={jobs.data} />}
            {deliveries.data === undefined ? null : <DeliveriesByDay statistics={deliveries.data} />}
          </div>
          {jobs.data === undefined ? null : <Errors statistics={jobs.data} />}
        </>
      )}
    </Page>
  );
}
