/** The profiles of a stage by name, and those that come with Longshore. */
import type { AnswerOf } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ButtonLink } from '../../components/button.js';
import { Badge, EmptyState } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { type Column, DataTable } from '../../components/table.js';
import { useApi, useMayImport, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useImportText } from '../imports/texts.js';
import { ShippedDescription } from './shipped-description.js';
import { useProfileText } from './texts.js';

type Listed = AnswerOf<'listImportProfiles'>['data'][number];

const useText = textsOf('profile-list', {
  note: {
    en: 'How the columns of your own files become those of the catalog. A file of a known form is imported without questions.',
    de: 'Wie die Spalten Ihrer eigenen Dateien zu denen des Katalogs werden. Eine Datei bekannter Form wird ohne Fragen importiert.',
  },
  name: { en: 'Name', de: 'Name' },
  of: { en: 'Files of', de: 'Dateien mit' },
  version: { en: 'Version', de: 'Version' },
  changed: { en: 'Last changed', de: 'Zuletzt geändert' },
  ownEmpty: { en: 'You have saved no profile yet', de: 'Sie haben noch kein Profil gespeichert' },
  ownEmptyHelp: {
    en: 'Import a file and keep the answers as a profile, or copy one of those below.',
    de: 'Importieren Sie eine Datei und behalten Sie die Antworten als Profil, oder kopieren Sie eines der Profile unten.',
  },
  ownToSee: {
    en: 'Those who import files keep their answers as a profile: you see it here then.',
    de: 'Wer Dateien importiert, behält die Antworten als Profil: Dann sehen Sie es hier.',
  },
  own: { en: 'Saved profiles', de: 'Gespeicherte Profile' },
  ours: { en: 'Profiles that come with Longshore', de: 'Mitgelieferte Profile' },
});

export function ProfilesPage() {
  const t = useText();
  const p = useProfileText();
  const i = useImportText();
  const api = useApi();
  const format = useFormat();
  const { stage } = usePresent();
  const mayImport = useMayImport();
  const { data, error, refetch } = useQuery({
    queryKey: ['profiles', stage.name, 'all'],
    queryFn: ({ signal }) => api.profiles.list({ signal }),
  });
  const columns = useColumns();
  const sorted = format.byName(data ?? []);
  const own = sorted.filter(({ shipped }) => !shipped);
  const ours = sorted.filter(({ shipped }) => shipped);
  return (
    <Page
      title={p('title')}
      note={t('note')}
      above={
        <Link to="/$stage/imports" params={{ stage: stage.name }}>
          {i('back')}
        </Link>
      }
    >
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : own.length === 0 ? (
        <EmptyState
          title={t('ownEmpty')}
          action={
            mayImport ? (
              <ButtonLink kind="primary" icon="imports" to="/$stage/imports/new" params={{ stage: stage.name }}>
                {i('importFile')}
              </ButtonLink>
            ) : null
          }
        >
          {t(mayImport ? 'ownEmptyHelp' : 'ownToSee')}
        </EmptyState>
      ) : (
        <DataTable caption={t('own')} columns={columns} rows={own} keyOf={({ name }) => name} />
      )}
      {ours.length === 0 ? null : (
        <>
          <h2>{t('ours')}</h2>
          <DataTable caption={t('ours')} columns={columns} rows={ours} keyOf={({ name }) => name} />
        </>
      )}
    </Page>
  );
}

function useColumns(): readonly Column<Listed>[] {
  const t = useText();
  const p = useProfileText();
  const format = useFormat();
  const { stage } = usePresent();
  return [
    {
      id: 'name',
      title: t('name'),
      isHeader: true,
      cell: ({ name, description }) => (
        <span className="import-name">
          <Link to="/$stage/imports/profiles/profile" params={{ stage: stage.name }} search={{ name }}>
            <bdi>{name}</bdi>
          </Link>
          {description === null ? null : (
            <span className="small">
              <ShippedDescription name={name} description={description} />
            </span>
          )}
        </span>
      ),
    },
    { id: 'of', title: t('of'), cell: ({ fileType }) => p(fileType) },
    {
      id: 'version',
      title: t('version'),
      isMinor: true,
      cell: ({ version, shipped }) => (shipped ? <Badge tone="neutral">{p('shipped')}</Badge> : format.number(version)),
    },
    {
      id: 'changed',
      title: t('changed'),
      isMinor: true,
      cell: ({ updatedAt }) => (updatedAt === null ? '–' : <time dateTime={updatedAt}>{format.ago(updatedAt)}</time>),
    },
  ];
}
