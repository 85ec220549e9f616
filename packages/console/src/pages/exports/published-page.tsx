/** Published files: addresses from which others fetch the last export by themselves, and what is found there now. */
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/content.js';
import { CopyButton } from '../../components/copied.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { type Column, DataTable } from '../../components/table.js';
import { useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useExportText } from './export-job.js';
import { type Asking, PublishedDialog } from './published-dialogs.js';
import { type PublishedFile, usePublished } from './use-published.js';

const useText = textsOf('published-files', {
  title: { en: 'Published files', de: 'Veröffentlichte Dateien' },
  note: {
    en: 'Addresses from which a marketplace or another program fetches your last export by itself. Everybody who has an address has the file.',
    de: 'Adressen, unter denen ein Marktplatz oder ein anderes Programm Ihren letzten Export selbst abholt. Wer eine Adresse hat, hat die Datei.',
  },
  add: { en: 'Make an address', de: 'Adresse anlegen' },
  emptyTitle: { en: 'Nothing is published yet', de: 'Noch ist nichts veröffentlicht' },
  empty: {
    en: 'Make an address and give it to those who fetch the file. Then choose it in an export: from then on the last whole export is always found there.',
    de: 'Legen Sie eine Adresse an und geben Sie sie denen, die die Datei abholen. Wählen Sie sie dann in einem Export: Ab da liegt dort immer der letzte vollständige Export.',
  },
  name: { en: 'Name', de: 'Name' },
  address: { en: 'Address', de: 'Adresse' },
  addressOf: { en: 'address of {name}', de: 'Adresse von {name}' },
  lost: {
    en: 'It works, but cannot be shown any more: its key is lost. A new one can be shown.',
    de: 'Sie gilt weiter, kann aber nicht mehr angezeigt werden: Ihr Schlüssel ist verloren. Eine neue wird angezeigt.',
  },
  found: { en: 'What is found there', de: 'Was dort liegt' },
  rows: { en: '{count, plural, one {# row} other {# rows}}', de: '{count, plural, one {# Zeile} other {# Zeilen}}' },
  nothing: { en: 'nothing yet: choose it in an export', de: 'noch nichts: In einem Export wählen' },
  SKIP: { en: 'an empty export leaves the last one', de: 'ein leerer Export lässt den letzten liegen' },
  WRITE: { en: 'an empty export replaces it', de: 'ein leerer Export ersetzt ihn' },
  actions: { en: 'Actions', de: 'Aktionen' },
  renew: { en: 'New address', de: 'Neue Adresse' },
  renewOf: { en: 'New address: {name}', de: 'Neue Adresse: {name}' },
  remove: { en: 'Delete', de: 'Löschen' },
  removeOf: { en: 'Delete: {name}', de: 'Löschen: {name}' },
});

export function PublishedPage() {
  const t = useText();
  const e = useExportText();
  const params = useParams({ from: '/$stage/exports/published' });
  const mayWrite = useMay('feeds:write');
  const { data, error, refetch } = usePublished();
  const [asking, setAsking] = useState<Asking>();
  const columns = useColumns(mayWrite, setAsking);
  const add = mayWrite ? (
    <Button kind="primary" icon="send" onPress={() => setAsking({ what: 'create' })}>
      {t('add')}
    </Button>
  ) : null;
  return (
    <Page
      title={t('title')}
      note={t('note')}
      above={
        <Link to="/$stage/exports" params={params}>
          {e('back')}
        </Link>
      }
      actions={data === undefined || data.count === 0 ? null : add}
    >
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : data.count === 0 ? (
        <EmptyState title={t('emptyTitle')} icon="send" action={add}>
          {t('empty')}
        </EmptyState>
      ) : (
        <DataTable caption={t('title')} columns={columns} rows={data.data} keyOf={({ id }) => id} />
      )}
      {asking === undefined ? null : <PublishedDialog asking={asking} onClose={() => setAsking(undefined)} />}
    </Page>
  );
}

function useColumns(mayWrite: boolean, onAsk: (asking: Asking) => void): readonly Column<PublishedFile>[] {
  const t = useText();
  return [
    {
      id: 'name',
      title: t('name'),
      isHeader: true,
      cell: ({ name, whenEmpty }) => (
        <span className="import-name">
          <bdi>{name}</bdi>
          <span className="small">{t(whenEmpty)}</span>
        </span>
      ),
    },
    {
      id: 'address',
      title: t('address'),
      cell: ({ name, url }) =>
        url === null ? (
          <span className="small">{t('lost')}</span>
        ) : (
          <span className="published-address">
            <code className="one-time-text">{url}</code>
            <CopyButton text={url} what={t('addressOf', { name })} />
          </span>
        ),
    },
    { id: 'found', title: t('found'), cell: (file) => <Found file={file} /> },
    ...(mayWrite
      ? [
          {
            id: 'actions',
            title: t('actions'),
            cell: (file: PublishedFile) => (
              <span className="row-actions">
                <Button aria-label={t('renewOf', { name: file.name })} onPress={() => onAsk({ what: 'renew', file })}>
                  {t('renew')}
                </Button>
                <Button
                  kind="danger"
                  aria-label={t('removeOf', { name: file.name })}
                  onPress={() => onAsk({ what: 'remove', file })}
                >
                  {t('remove')}
                </Button>
              </span>
            ),
          },
        ]
      : []),
  ];
}

function Found({ file }: { readonly file: PublishedFile }) {
  const t = useText();
  const format = useFormat();
  const { stage } = usePresent();
  const { rowCount, bytes, publishedAt, jobId, fileName } = file;
  if (publishedAt === null) return <span className="small">{t('nothing')}</span>;
  const size = [
    ...(rowCount === null ? [] : [t('rows', { count: rowCount })]),
    ...(bytes === null ? [] : [format.bytes(bytes)]),
  ];
  return (
    <span className="import-name">
      {jobId === null ? (
        <bdi>{fileName}</bdi>
      ) : (
        <Link to="/$stage/exports" params={{ stage: stage.name }} search={{ job: jobId }}>
          <bdi>{fileName}</bdi>
        </Link>
      )}
      <span className="small">
        {size.join(', ')} · <time dateTime={publishedAt}>{format.ago(publishedAt)}</time>
      </span>
    </span>
  );
}
