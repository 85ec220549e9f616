/** The exports that are saved under a name: each is run again with one click. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, ButtonLink } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { type Column, DataTable } from '../../components/table.js';
import { watchJob } from '../../jobs/watched-jobs.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useRefreshViews, useViews, type View } from '../views/use-views.js';
import { Sharing, useViewChanges, useViewNames, ViewActions, ViewChanged } from '../views/view-actions.js';
import { useExportText } from './export-job.js';
import { runSaved, savedExportOf } from './saved-export.js';

const useText = textsOf('saved-exports', {
  title: { en: 'Saved exports', de: 'Gespeicherte Exporte' },
  name: { en: 'Name', de: 'Name' },
  what: { en: 'What', de: 'Was' },
  format: { en: 'Format', de: 'Format' },
  actions: { en: 'Actions', de: 'Aktionen' },
  run: { en: 'Write the file', de: 'Datei schreiben' },
  runOf: { en: 'Write the file: {name}', de: 'Datei schreiben: {name}' },
  change: { en: 'Open', de: 'Öffnen' },
  changeOf: { en: 'Open: {name}', de: 'Öffnen: {name}' },
  channel: { en: 'channel {number}', de: 'Kanal {number}' },
  upTo: { en: 'changed up to {time}', de: 'geändert bis {time}' },
  delta: { en: 'changes since the last time', de: 'Änderungen seit dem letzten Mal' },
});

export function SavedExports() {
  const t = useText();
  const e = useExportText();
  const format = useFormat();
  const api = useApi();
  const { stage } = usePresent();
  const mayShare = useMay('catalog:write');
  const navigate = useNavigate();
  const refresh = useRefreshViews('EXPORT');
  const { data: views = [] } = useViews('EXPORT');
  const changes = useViewChanges('EXPORT');
  const nameOf = useViewNames(views);
  const [running, setRunning] = useState<string>();
  const [error, setError] = useState<unknown>();
  if (views.length === 0 && changes.deleted === undefined) return null;
  const run = async (view: View) => {
    setRunning(view.id);
    setError(undefined);
    try {
      const jobId = await runSaved(api, view, view.shared ? mayShare : view.own);
      watchJob({ id: jobId, stage: stage.name, name: view.name });
      await navigate({ to: '/$stage/exports', params: { stage: stage.name }, search: { job: jobId } });
      await refresh();
    } catch (failure) {
      setError(failure);
    }
    setRunning(undefined);
  };
  const columns: Column<View>[] = [
    {
      id: 'name',
      title: t('name'),
      isHeader: true,
      cell: (view) => (
        <span className="import-name">
          <bdi>{view.name}</bdi>
          <Sharing view={view} />
        </span>
      ),
    },
    {
      id: 'what',
      title: t('what'),
      isMinor: true,
      cell: ({ content }) => {
        const { form, isDelta } = savedExportOf(content);
        const parts = [
          ...(isDelta ? [t('delta')] : []),
          ...(form.channel === undefined ? [] : [t('channel', { number: form.channel })]),
          ...(form.upTo === undefined ? [] : [t('upTo', { time: format.time(form.upTo) })]),
        ];
        return `${e(form.what)}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
      },
    },
    {
      id: 'format',
      title: t('format'),
      isMinor: true,
      cell: ({ content }) => {
        const { form } = savedExportOf(content);
        return form.profile === undefined ? form.format : `${form.format}, ${form.profile}`;
      },
    },
    {
      id: 'actions',
      title: t('actions'),
      cell: (view) => (
        <span className="actions">
          <Button
            icon="download"
            aria-label={t('runOf', { name: nameOf(view) })}
            isPending={running === view.id}
            onPress={() => void run(view)}
          >
            {t('run')}
          </Button>
          <ButtonLink
            kind="quiet"
            aria-label={t('changeOf', { name: nameOf(view) })}
            to="/$stage/exports/new"
            params={{ stage: stage.name }}
            search={{ ...savedExportOf(view.content).filter, saved: view.id }}
          >
            {t('change')}
          </ButtonLink>
          <ViewActions view={view} name={nameOf(view)} changes={changes} />
        </span>
      ),
    },
  ];
  return (
    <Section title={t('title')}>
      {error === undefined ? null : <ErrorPanel error={error} />}
      <ViewChanged {...changes} />
      {views.length === 0 ? null : (
        <DataTable caption={t('title')} columns={columns} rows={views} keyOf={({ id }) => id} />
      )}
    </Section>
  );
}
