/** Asks for an export: what, in which form, and of which time. How many items it will have is known before. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice, Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { ChoiceInput, RadioCards, TextInput } from '../../components/fields.js';
import { Page } from '../../components/page.js';
import { watchJob } from '../../jobs/watched-jobs.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { ItemFilters } from '../catalog/item-filters.js';
import type { ItemFilter } from '../catalog/item-search.js';
import { useDefinitions } from '../catalog/use-attributes.js';
import { useCount } from '../catalog/use-count.js';
import { ExportColumns } from './export-columns.js';
import { useExportText, WHAT, type What } from './export-job.js';
import { type ExportForm, MOST_NAMED, startExport, TooManyFound } from './start-export.js';

const useText = textsOf('new-export', {
  what: { en: 'What is exported?', de: 'Was wird exportiert?' },
  which: { en: 'Which ones', de: 'Welche' },
  count: { en: 'Count', de: 'Zählen' },
  counted: { en: '{count} match', de: '{count} passen' },
  counting: { en: '{count} so far …', de: 'bis jetzt {count} …' },
  form: { en: 'The file', de: 'Die Datei' },
  format: { en: 'Format', de: 'Format' },
  CSV: { en: 'CSV', de: 'CSV' },
  CSVHelp: { en: 'For nearly every program', de: 'Für fast jedes Programm' },
  XLSX: { en: 'Excel', de: 'Excel' },
  XLSXHelp: { en: 'A workbook, up to 1,048,575 rows', de: 'Eine Arbeitsmappe, bis 1.048.575 Zeilen' },
  JSONL: { en: 'JSON Lines', de: 'JSON Lines' },
  JSONLHelp: { en: 'For programs; loses nothing', de: 'Für Programme; verliert nichts' },
  csv: { en: 'Delimiter and decimals', de: 'Trennzeichen und Dezimalzahlen' },
  standard: { en: 'Comma, 1234.5', de: 'Komma, 1234.5' },
  semicolon: { en: 'Semicolon, 1234,5 (Excel in German)', de: 'Semikolon, 1234,5 (deutsches Excel)' },
  profile: { en: 'Columns as in the profile', de: 'Spalten wie im Profil' },
  noProfile: { en: 'None: the columns of Longshore', de: 'Keines: die Spalten von Longshore' },
  period: { en: 'Period', de: 'Zeitraum' },
  time: { en: 'Which changes are in it?', de: 'Welche Änderungen sind darin?' },
  all: { en: 'Everything', de: 'Alles' },
  sinceTime: { en: 'Only what changed since a day', de: 'Nur was sich seit einem Tag geändert hat' },
  sinceJob: {
    en: 'Only what changed since the earlier export',
    de: 'Nur was sich seit dem früheren Export geändert hat',
  },
  sinceHelp: {
    en: 'What was deleted is in the file as well, marked as DELETE.',
    de: 'Auch Gelöschtes steht in der Datei, als DELETE gekennzeichnet.',
  },
  day: { en: 'Since', de: 'Seit' },
  start: { en: 'Write the file', de: 'Datei schreiben' },
  tooMany: { en: 'The search finds more than {count} items', de: 'Die Suche findet mehr als {count} Artikel' },
  tooManyHelp: {
    en: 'An export names at most so many. Use conditions on attributes or a category instead of the search.',
    de: 'So viele nennt ein Export höchstens. Nehmen Sie statt der Suche Bedingungen auf Attribute oder eine Kategorie.',
  },
});

const FORMATS = ['CSV', 'XLSX', 'JSONL'] as const;
const MOST_PROFILES = 100;

export function NewExportPage() {
  const t = useText();
  const e = useExportText();
  const api = useApi();
  const format = useFormat();
  const { stage } = usePresent();
  const navigate = useNavigate();
  const { since: earlier, ...given } = useSearch({ from: '/$stage/exports/new' });
  const [form, setForm] = useState<ExportForm>({
    what: given.type === 'BUNDLE' ? 'bundles' : 'items',
    ...{ format: 'CSV', csv: document.documentElement.lang === 'de' ? 'semicolon' : 'standard' },
  });
  const [period, setPeriod] = useState<'all' | 'time' | 'job'>(earlier === undefined ? 'all' : 'job');
  const [day, setDay] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isOfItems = form.what === 'items' || form.what === 'bundles';
  // A file has items or bundles.
  const filter: ItemFilter = { ...given, type: form.what === 'bundles' ? 'BUNDLE' : 'ITEM' };
  const count = useCount(filter);
  const { data: definitions } = useDefinitions();
  const fileType = (
    {
      items: 'ITEM_IMPORT',
      bundles: 'BUNDLE_IMPORT',
      attributes: 'ATTRIBUTE_IMPORT',
      categories: 'CATEGORY_IMPORT',
    } as const
  )[form.what];
  const { data: profiles } = useQuery({
    queryKey: ['export-profiles', stage.name, fileType],
    queryFn: ({ signal }) => api.listImportProfiles({ fileType, limit: MOST_PROFILES }, { signal }),
  });
  const narrow = ({ type: _, ...next }: ItemFilter) =>
    void navigate({ to: '/$stage/exports/new', params: { stage: stage.name }, search: next, replace: true });
  const start = async () => {
    setBusy(true);
    setError(undefined);
    const since =
      period === 'job' ? { jobId: earlier ?? '' } : period === 'time' ? { time: instantOf(day) } : undefined;
    try {
      const asked = since === undefined || !isOfItems ? form : { ...form, since };
      const jobId = await startExport(api, asked, filter, new AbortController().signal);
      watchJob({ id: jobId, stage: stage.name, name: e(form.what) });
      await navigate({ to: '/$stage/exports', params: { stage: stage.name }, search: { job: jobId } });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const back = (
    <Link to="/$stage/exports" params={{ stage: stage.name }}>
      {e('back')}
    </Link>
  );
  return (
    <Page title={e('new')} above={back}>
      <RadioCards
        label={t('what')}
        value={form.what}
        choices={WHAT.map((value) => ({ value, label: e(value) }))}
        onChange={(what) => {
          const { profile: _, columns: __, ...others } = form;
          setForm({ ...others, what: what as What });
        }}
      />
      {isOfItems && definitions !== undefined ? (
        <Section
          title={t('which')}
          actions={
            <>
              <p className="count" role="status">
                {count.number === undefined
                  ? ''
                  : t(count.isCounting ? 'counting' : 'counted', { count: format.number(count.number) })}
              </p>
              <Button isDisabled={count.isCounting} onPress={count.begin}>
                {t('count')}
              </Button>
            </>
          }
        >
          <ItemFilters filter={withoutType(filter)} attributes={definitions.attributes} hidesType onChange={narrow} />
        </Section>
      ) : null}
      <Section title={t('form')}>
        <RadioCards
          label={t('format')}
          value={form.format}
          choices={FORMATS.filter((one) => one !== 'JSONL' || form.profile === undefined).map((value) => ({
            value,
            label: t(value),
            help: t(`${value}Help`),
          }))}
          onChange={(value) => setForm({ ...form, format: value as 'CSV' })}
        />
        <div className="filters">
          {form.format === 'CSV' && form.profile === undefined ? (
            <ChoiceInput
              label={t('csv')}
              value={form.csv}
              choices={(['standard', 'semicolon'] as const).map((id) => ({ id, label: t(id) }))}
              onChange={(csv) => setForm({ ...form, csv })}
            />
          ) : null}
          <ChoiceInput
            label={t('profile')}
            value={form.profile ?? ''}
            choices={[
              { id: '', label: t('noProfile') },
              ...(profiles?.data ?? []).map(({ name }) => ({ id: name, label: name })),
            ]}
            onChange={(profile) => {
              const { profile: _, ...others } = form;
              const shape = others.format === 'JSONL' ? 'CSV' : others.format;
              setForm(profile === '' ? others : { ...others, format: shape, profile });
            }}
          />
        </div>
        {isOfItems && form.profile === undefined && definitions !== undefined ? (
          <ExportColumns
            definitions={definitions}
            chosen={form.columns}
            onChoose={(columns) => {
              const { columns: _, ...others } = form;
              setForm(columns === undefined ? others : { ...others, columns });
            }}
          />
        ) : null}
      </Section>
      {isOfItems ? (
        <Section title={t('period')} {...(period === 'all' ? {} : { note: t('sinceHelp') })}>
          <RadioCards
            label={t('time')}
            value={period}
            choices={[
              { value: 'all', label: t('all') },
              { value: 'time', label: t('sinceTime') },
              ...(earlier === undefined ? [] : [{ value: 'job', label: t('sinceJob') }]),
            ]}
            onChange={(value) => setPeriod(value as 'all')}
          />
          {period === 'time' ? <TextInput label={t('day')} type="date" value={day} onChange={setDay} /> : null}
        </Section>
      ) : null}
      {error instanceof TooManyFound ? (
        <Notice tone="warn" title={t('tooMany', { count: format.number(MOST_NAMED) })}>
          <p>{t('tooManyHelp')}</p>
        </Notice>
      ) : error === undefined ? null : (
        <ErrorPanel error={error} onRetry={() => void start()} />
      )}
      <div className="actions">
        <Button
          kind="primary"
          icon="download"
          isPending={isBusy}
          isDisabled={isBusy || (period === 'time' && day === '')}
          onPress={() => void start()}
        >
          {t('start')}
        </Button>
      </div>
    </Page>
  );
}

function withoutType({ type: _, ...others }: ItemFilter): ItemFilter {
  return others;
}

/** The beginning of a day, where the person is. */
function instantOf(day: string): string {
  return new Date(`${day}T00:00:00`).toISOString();
}
