/** Asks for an export: what, in which form, and of which time. How many items it will have is known before. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { RadioCards } from '../../components/radio-cards.js';
import { SwitchInput } from '../../components/switch-input.js';
import { TextInput } from '../../components/text-input.js';
import { useAttempt } from '../../components/use-attempt.js';
import { watchJob } from '../../jobs/watched-jobs.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { ItemFilters } from '../catalog/item-filters.js';
import type { ItemFilter } from '../catalog/item-search.js';
import { useDefinitions } from '../catalog/use-attributes.js';
import { useCount } from '../catalog/use-count.js';
import { SaveViewDialog } from '../views/save-view-dialog.js';
import { useViews, type View } from '../views/use-views.js';
import { useExportText, WHAT, type What } from './export-job.js';
import { type AgainForm, againOf } from './export-request.js';
import { FileForm } from './file-form.js';
import { PartOfStage } from './part-of-stage.js';
import { PublishChoice } from './publish-choice.js';
import { contentOf, savedExportOf } from './saved-export.js';
import { type ExportForm as Form, siteOf, startExport } from './start-export.js';

const useText = textsOf('new-export', {
  what: { en: 'What is exported?', de: 'Was wird exportiert?' },
  which: { en: 'Which ones', de: 'Welche' },
  count: { en: 'Count', de: 'Zählen' },
  counted: { en: '{count} match', de: '{count} passen' },
  counting: { en: '{count} so far …', de: 'bis jetzt {count} …' },
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
  save: { en: 'Save this export', de: 'Diesen Export speichern' },
  delta: {
    en: 'Each time only what has changed since the time before',
    de: 'Jedes Mal nur, was sich seit dem letzten Mal geändert hat',
  },
  deltaHelp: { en: 'The first time everything is written.', de: 'Beim ersten Mal wird alles geschrieben.' },
  start: { en: 'Write the file', de: 'Datei schreiben' },
});

export function NewExportPage() {
  const { saved, again } = useSearch({ from: '/$stage/exports/new' });
  if (saved !== undefined) return <SavedForm id={saved} />;
  return again === undefined ? <ExportForm view={undefined} again={undefined} /> : <FormOfJob key={again} id={again} />;
}

/** The form with all that an earlier export was asked for. */
function FormOfJob({ id }: { readonly id: string }) {
  const e = useExportText();
  const api = useApi();
  const { stage } = usePresent();
  const mayPublish = useMay('feeds:write');
  const { data, error, refetch } = useQuery({
    queryKey: ['export-again', stage.name, id],
    queryFn: ({ signal }) => api.getJob({ id }, { signal }),
  });
  if (data !== undefined) return <ExportForm view={undefined} again={againOf(data, mayPublish)} />;
  return (
    <Page title={e('new')}>{error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}</Page>
  );
}

function SavedForm({ id: saved }: { readonly id: string }) {
  const e = useExportText();
  const { data, error, refetch } = useViews('EXPORT');
  const view = data?.find(({ id }) => id === saved);
  if (view !== undefined) return <ExportForm key={view.id} view={view} again={undefined} />;
  return (
    <Page title={e('new')}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : <ExportForm view={undefined} again={undefined} />}
    </Page>
  );
}

interface Typing {
  readonly form: Form;
  readonly isDelta: boolean;
  readonly period: 'all' | 'time' | 'job';
  readonly day: string;
}

interface ExportFormProps {
  /** The saved export that is opened. */
  readonly view: View | undefined;
  /** The earlier export whose request is used again. */
  readonly again: AgainForm | undefined;
}

function ExportForm({ view, again }: ExportFormProps) {
  const t = useText();
  const e = useExportText();
  const api = useApi();
  const format = useFormat();
  const { stage } = usePresent();
  const mayPublish = useMay('feeds:write');
  const navigate = useNavigate();
  const { since: earlier, saved, again: againId, ...given } = useSearch({ from: '/$stage/exports/new' });
  const opened = view === undefined ? undefined : savedExportOf(view.content);
  const typed = useTyped<Typing>(`export.${view?.id ?? againId ?? earlier ?? 'new'}`, {
    form: opened?.form ??
      again?.form ?? {
        what: given.type === 'BUNDLE' ? 'bundles' : 'items',
        ...{ format: 'CSV', csv: document.documentElement.lang === 'de' ? 'semicolon' : 'standard' },
      },
    isDelta: opened?.isDelta ?? false,
    period: earlier !== undefined ? 'job' : again?.day === undefined ? 'all' : 'time',
    day: again?.day ?? '',
  });
  const { form, isDelta, period, day } = typed.values;
  const setForm = (next: Form) => typed.set({ form: next });
  const [isSaving, setSaving] = useState(false);
  const { attempt, error, isBusy } = useAttempt();
  const isOfItems = form.what === 'items' || form.what === 'bundles';
  // A file has items or bundles.
  const filter: ItemFilter = { ...given, type: form.what === 'bundles' ? 'BUNDLE' : 'ITEM' };
  const count = useCount(filter, siteOf(form));
  const { data: definitions, error: undefinedBy, refetch: defineAgain } = useDefinitions();
  const narrow = ({ type: _, ...next }: ItemFilter) =>
    void navigate({
      to: '/$stage/exports/new',
      params: { stage: stage.name },
      search: {
        ...next,
        ...(saved === undefined ? {} : { saved }),
        ...(againId === undefined ? {} : { again: againId }),
        ...(earlier === undefined ? {} : { since: earlier }),
      },
      replace: true,
    });
  const start = () =>
    attempt(async () => {
      const since =
        period === 'job' ? { jobId: earlier ?? '' } : period === 'time' ? { time: instantOf(day) } : undefined;
      const asked = since === undefined || !isOfItems ? form : { ...form, since };
      const jobId = await startExport(api, asked, filter);
      typed.forget();
      watchJob({ id: jobId, stage: stage.name, name: e(form.what) });
      await navigate({ to: '/$stage/exports', params: { stage: stage.name }, search: { job: jobId } });
    });
  const back = (
    <Link to="/$stage/exports" params={{ stage: stage.name }}>
      {e('back')}
    </Link>
  );
  return (
    <Page title={e('new')} above={back}>
      <TypedNote typed={typed} />
      <RadioCards
        label={t('what')}
        value={form.what}
        choices={WHAT.map((value) => ({ value, label: e(value) }))}
        onChange={(what) => {
          const { profile: _, columns: __, ...others } = form;
          setForm({ ...others, what: what as What });
        }}
      />
      {isOfItems && definitions === undefined && undefinedBy !== null ? (
        <ErrorPanel error={undefinedBy} onRetry={() => void defineAgain()} />
      ) : null}
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
      <PartOfStage form={form} given={opened?.form ?? again?.form} onChange={setForm} />
      <FileForm form={form} definitions={definitions} onChange={setForm} />
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
            onChange={(value) => typed.set({ period: value as 'all' })}
          />
          {period === 'time' ? (
            <TextInput label={t('day')} type="date" value={day} onChange={(next) => typed.set({ day: next })} />
          ) : null}
        </Section>
      ) : null}
      {period === 'all' && mayPublish ? <PublishChoice form={form} onChange={setForm} /> : null}
      {error === undefined ? null : <ErrorPanel error={error} onRetry={() => void start()} />}
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
        <Button icon="save" onPress={() => setSaving(true)}>
          {t('save')}
        </Button>
      </div>
      {isSaving ? (
        <SaveViewDialog
          kind="EXPORT"
          content={contentOf({
            ...opened,
            form,
            filter: isOfItems ? withoutType(filter) : {},
            isDelta: isDelta && isOfItems,
          })}
          firstName={view?.own === true ? view.name : ''}
          onClose={() => setSaving(false)}
        >
          {isOfItems ? (
            <SwitchInput
              label={t('delta')}
              help={t('deltaHelp')}
              isOn={isDelta}
              onChange={(isOn) => typed.set({ isDelta: isOn })}
            />
          ) : null}
        </SaveViewDialog>
      ) : null}
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
