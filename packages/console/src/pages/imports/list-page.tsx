/** The imports of a stage, newest first. */
import type { Job } from '@longshore/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Button, ButtonLink } from '../../components/button.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { EmptyState } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { DataTable } from '../../components/table.js';
import { IMPORT_TYPES } from '../../jobs/import-types.js';
import { useJobText } from '../../jobs/job-state.js';
import { useApi, useMayImport, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useImportColumns } from './list-columns.js';
import { useImportText } from './texts.js';

const PAGE = 25;
/** The list is asked for again while something in it runs. */
const AGAIN_MS = 5_000;

/** The API lists jobs of one state. */
const OUTCOMES = [
  'IN_PROGRESS',
  'AWAITING_PROFILE',
  'AWAITING_APPROVAL',
  'COMPLETED',
  'COMPLETED_PARTIALLY',
  'REJECTED',
  'FAILED',
  'CANCELLED',
] as const satisfies readonly Job['status'][];

const useText = textsOf('imports-list', {
  note: {
    en: 'Every file that was imported into this stage, and what became of its rows.',
    de: 'Alle Dateien, die in diese Stage importiert wurden, und was aus ihren Zeilen wurde.',
  },
  outcome: { en: 'Outcome', de: 'Ergebnis' },
  kind: { en: 'Kind', de: 'Art' },
  all: { en: 'All', de: 'Alle' },
  emptyTitle: { en: 'Nothing was imported here yet', de: 'Hier wurde noch nichts importiert' },
  empty: {
    en: 'Take a file as your shop or your ERP writes it: CSV, Excel, JSON or XML, with your own columns. You see what is in it and what would change before anything happens.',
    de: 'Nehmen Sie eine Datei, wie Ihr Shop oder Ihr ERP sie schreibt: CSV, Excel, JSON oder XML, mit Ihren eigenen Spalten. Sie sehen, was darin ist und was sich ändern würde, bevor etwas geschieht.',
  },
  emptyToSee: {
    en: 'As soon as somebody imports a file, you see here what became of its rows.',
    de: 'Sobald jemand eine Datei importiert, sehen Sie hier, was aus ihren Zeilen wurde.',
  },
  noneTitle: { en: 'No import is like this', de: 'So einen Import gibt es nicht' },
  noneHelp: { en: 'Choose another outcome or kind.', de: 'Wählen Sie ein anderes Ergebnis oder eine andere Art.' },
  showAll: { en: 'Show all', de: 'Alle zeigen' },
  profiles: { en: 'Profiles', de: 'Profile' },
});

export function ImportsPage() {
  const t = useText();
  const i = useImportText();
  const state = useJobText();
  const api = useApi();
  const { stage } = usePresent();
  const mayImport = useMayImport();
  const params = useParams({ from: '/$stage/imports' });
  const { outcome = 'all', type = 'all', page = 1 } = useSearch({ from: '/$stage/imports' });
  const navigate = useNavigate({ from: '/$stage/imports' });
  const status = OUTCOMES.find((one) => one === outcome);
  const types = IMPORT_TYPES[type as keyof typeof IMPORT_TYPES] ?? IMPORT_TYPES.all;
  const { data, error, refetch } = useQuery({
    queryKey: ['jobs', stage.name, outcome, type, page],
    queryFn: ({ signal }) =>
      api.listJobs(
        { type: types, offset: (page - 1) * PAGE, limit: PAGE, ...(status === undefined ? {} : { status }) },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.some((job) => job.status === 'IN_PROGRESS' || job.status === 'SCHEDULED') ? AGAIN_MS : false,
  });
  const columns = useImportColumns(data?.data ?? []);
  const isFiltered = outcome !== 'all' || type !== 'all';
  const importLink = mayImport ? (
    <ButtonLink kind="primary" icon="imports" to="/$stage/imports/new" params={params}>
      {i('importFile')}
    </ButtonLink>
  ) : null;
  const set = (search: { outcome?: string; type?: string; page?: number }) => {
    const { outcome: o = outcome, type: k = type, page: p = 1 } = search;
    void navigate({
      search: {
        ...(o === 'all' ? {} : { outcome: o }),
        ...(k === 'all' ? {} : { type: k }),
        ...(p === 1 ? {} : { page: p }),
      },
    });
  };
  const count = data?.count ?? 0;
  return (
    <Page
      title={i('title')}
      note={t('note')}
      actions={
        <>
          {importLink}
          <ButtonLink to="/$stage/imports/profiles" params={params}>
            {t('profiles')}
          </ButtonLink>
        </>
      }
    >
      {count === 0 && !isFiltered ? null : (
        <div className="filters">
          <ChoiceInput
            label={t('outcome')}
            value={outcome}
            choices={[{ id: 'all', label: t('all') }, ...OUTCOMES.map((id) => ({ id, label: state(id) }))]}
            onChange={(chosen) => set({ outcome: chosen })}
          />
          <KindFilter value={type} onChange={(chosen) => set({ type: chosen })} />
        </div>
      )}
      {error !== null ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined ? null : count > 0 ? (
        <>
          <DataTable caption={i('title')} columns={columns} rows={data.data} keyOf={({ id }) => id} />
          <Pager page={page} size={PAGE} count={count} onPage={(next) => set({ page: next })} />
        </>
      ) : isFiltered ? (
        <EmptyState
          title={t('noneTitle')}
          icon="question"
          action={<Button onPress={() => set({ outcome: 'all', type: 'all' })}>{t('showAll')}</Button>}
        >
          {t('noneHelp')}
        </EmptyState>
      ) : (
        <EmptyState title={t('emptyTitle')} icon="imports" action={importLink}>
          {t(mayImport ? 'empty' : 'emptyToSee')}
        </EmptyState>
      )}
    </Page>
  );
}

function KindFilter({ value, onChange }: { readonly value: string; readonly onChange: (kind: string) => void }) {
  const t = useText();
  const state = useJobText();
  const kinds = Object.keys(IMPORT_TYPES) as (keyof typeof IMPORT_TYPES)[];
  return (
    <ChoiceInput
      label={t('kind')}
      value={value}
      choices={kinds.map((id) => ({ id, label: id === 'all' ? t('all') : state(id) }))}
      onChange={onChange}
    />
  );
}
