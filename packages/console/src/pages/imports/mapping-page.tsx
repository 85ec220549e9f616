/** A file that was uploaded and is not imported yet: what is open, what is created, what becomes of each column, what would change. */
import { type FileReading, otherReading } from '@longshore/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Button } from '../../components/button.js';
import { Progress } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { watchJob } from '../../jobs/watched-jobs.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useKept } from '../../typed/use-kept.js';
import { FittingProfiles } from './fitting-profiles.js';
import { FIRST_OPTIONS, type ImportChoices, ImportOptions } from './import-options.js';
import { type Answers, type Asked, acceptedOf, type Creation, mappingOf, neededOf, type Targets } from './mapping.js';
import { MappingTable } from './mapping-table.js';
import { Missing } from './missing.js';
import { Preview } from './preview.js';
import { ProfileChoice } from './profile-choice.js';
import { Questions } from './questions.js';
import { SampleRows } from './sample-rows.js';
import { useImportText } from './texts.js';
import { type Found, useProposal } from './use-proposal.js';

const useText = textsOf('mapping-page', {
  reading: { en: 'Longshore reads the file', de: 'Longshore liest die Datei' },
  readingNote: {
    en: 'Every row is looked at: this takes a few seconds.',
    de: 'Jede Zeile wird angesehen: Das dauert ein paar Sekunden.',
  },
  note: {
    en: 'Look at what was understood, answer what is open, and import. Nothing is written before you say so.',
    de: 'Sehen Sie nach, was verstanden wurde, beantworten Sie, was offen ist, und importieren Sie. Vorher wird nichts geschrieben.',
  },
  asFound: { en: 'Read the file as Longshore finds it', de: 'Datei so lesen, wie Longshore sie vorfindet' },
  discard: { en: 'Discard the file', de: 'Datei verwerfen' },
  preview: { en: 'See what would change', de: 'Zeigen, was sich ändern würde' },
  import: { en: 'Import', de: 'Importieren' },
  open: {
    en: '{count, plural, one {One question is} other {# questions are}} still open',
    de: '{count, plural, one {Eine Frage ist} other {# Fragen sind}} noch offen',
  },
  ready: { en: 'Everything is clear', de: 'Alles ist klar' },
});

export function MappingPage() {
  return <HeldFile key={useKeptName()} />;
}

/** Under which what was decided about these rows of a file is kept. */
function useKeptName(): string {
  const { fileId } = useParams({ from: '/$stage/imports/new/$fileId' });
  const { profile, sheet, rowPath, encoding, delimiter, headerRow, headerRows } = useSearch({
    from: '/$stage/imports/new/$fileId',
  });
  return `mapping.${[fileId, profile, sheet, rowPath, encoding, delimiter, headerRow, headerRows].map((one) => one ?? '').join('.')}`;
}

function HeldFile() {
  const t = useText();
  const i = useImportText();
  const params = useParams({ from: '/$stage/imports/new/$fileId' });
  const search = useSearch({ from: '/$stage/imports/new/$fileId' });
  const [targets, setTargets] = useKept<Targets>(`${useKeptName()}.targets`, {});
  const { data, error, refetch, isPlaceholderData } = useProposal(params.fileId, search, targets);
  const above = (
    <Link to="/$stage/imports" params={params}>
      {i('back')}
    </Link>
  );
  const isSaid = Object.keys(search).some((name) => name !== 'preview');
  const failed =
    error === null ? null : (
      <>
        <ErrorPanel error={error} onRetry={() => void refetch()} />
        {isSaid ? (
          <p>
            <Link to="/$stage/imports/new/$fileId" params={params} search={{}}>
              {t('asFound')}
            </Link>
          </p>
        ) : null}
      </>
    );
  if (data === undefined) {
    return (
      <Page title={i('importFile')} above={above}>
        {failed ?? <Progress label={t('reading')} share={undefined} note={t('readingNote')} />}
      </Page>
    );
  }
  return (
    <>
      {failed}
      <FoundFile
        found={data}
        // What was chosen last is not in it yet.
        isOld={isPlaceholderData || failed !== null}
        above={above}
        onTarget={(from, to) => setTargets({ ...targets, [from]: to })}
      />
    </>
  );
}

/** As an address has it. */
function textsIn(reading: FileReading): { readonly [Member in keyof FileReading]?: string } {
  return Object.fromEntries(Object.entries(reading).map(([name, value]) => [name, String(value)]));
}

const ALL: Creation = { attributes: true, options: true, categories: true, assignments: true };

interface FoundFileProps {
  readonly found: Found;
  readonly isOld: boolean;
  readonly above: React.ReactNode;
  readonly onTarget: (from: string, to: string | null) => void;
}

function FoundFile({ found, isOld, above, onTarget }: FoundFileProps) {
  const t = useText();
  const search = useSearch({ from: '/$stage/imports/new/$fileId' });
  const navigate = useNavigate({ from: '/$stage/imports/new/$fileId' });
  const kept = useKeptName();
  const [answers, setAnswers] = useKept<Answers>(`${kept}.answers`, {});
  const [creation, setCreation] = useKept<Creation>(`${kept}.creation`, ALL);
  const [choices, setChoices] = useKept<ImportChoices>(`${kept}.options`, FIRST_OPTIONS);
  const mapping = useMemo(() => mappingOf(found.proposal, answers), [found.proposal, answers]);
  const request = useMemo(() => {
    const agreed = isOld ? undefined : acceptedOf(mapping);
    return agreed === undefined ? undefined : { ...agreed, createMissing: creation, options: optionsOf(choices) };
  }, [mapping, isOld, creation, choices]);
  const answer = (question: Asked, value: string) => {
    const other = question.about === undefined ? undefined : otherReading(found.proposal, { [question.about]: value });
    // Another form of the file makes other columns: that is another proposal.
    if (other !== undefined) void navigate({ search: { ...search, ...textsIn(other) } });
    else setAnswers({ ...answers, [question.key]: value });
  };
  const open = mapping.asked.filter((one) => one.answer === undefined).length;
  const act = useActions(found, request, choices);
  return (
    <Page
      title={found.name}
      note={t('note')}
      above={above}
      actions={<Button onPress={act.discard}>{t('discard')}</Button>}
    >
      <ProfileChoice />
      <FittingProfiles profiles={found.proposal.profiles} />
      {act.error === undefined ? null : <ErrorPanel error={act.error} />}
      {mapping.asked.length === 0 ? null : (
        <Questions kind={found.inspection.kind.value} asked={mapping.asked} onAnswer={answer} />
      )}
      <Missing proposal={neededOf(mapping.proposal)} creation={creation} onChange={setCreation} />
      <MappingTable mapping={mapping} onTarget={onTarget} />
      <SampleRows
        notes={found.proposal.notes}
        inspection={found.inspection}
        sheet={search.sheet}
        onSheet={(sheet) =>
          void navigate({ search: { ...(search.profile === undefined ? {} : { profile: search.profile }), sheet } })
        }
        onRead={
          search.profile === undefined
            ? ({ ...said }) => {
                const { preview: _, ...before } = search;
                void navigate({ search: { ...before, ...said } });
              }
            : undefined
        }
      />
      <ImportOptions choices={choices} onChange={setChoices} />
      {search.preview === undefined ? null : (
        <Preview
          jobId={search.preview}
          isStale={act.previewed !== undefined && act.previewed !== JSON.stringify(request)}
        />
      )}
      <div className="send-bar">
        <p>
          <strong>{open > 0 ? t('open', { count: open }) : t('ready')}</strong>
        </p>
        <div className="actions">
          <Button isDisabled={request === undefined} isPending={act.isBusy === 'preview'} onPress={act.preview}>
            {t('preview')}
          </Button>
          <Button
            kind="primary"
            icon="arrow"
            isDisabled={request === undefined}
            isPending={act.isBusy === 'import'}
            onPress={act.import}
          >
            {t('import')}
          </Button>
        </div>
      </div>
    </Page>
  );
}

/** What is left out is as the announcement says. */
function optionsOf({ mode, isAtomic, asksApproval }: ImportChoices) {
  return {
    mode,
    ...(isAtomic ? { onError: 'abort' as const } : {}),
    ...(asksApproval ? { requireApproval: true } : {}),
  };
}

type Request = NonNullable<ReturnType<typeof acceptedOf>> & {
  readonly createMissing: Creation;
  readonly options: ReturnType<typeof optionsOf>;
};

function useActions(found: Found, request: Request | undefined, { profileName }: ImportChoices) {
  const api = useApi();
  const { stage } = usePresent();
  const mayWrite = useMay('catalog:write');
  const { fileId } = useParams({ from: '/$stage/imports/new/$fileId' });
  const search = useSearch({ from: '/$stage/imports/new/$fileId' });
  const navigate = useNavigate({ from: '/$stage/imports/new/$fileId' });
  const [isBusy, setBusy] = useState<'preview' | 'import' | 'discard'>();
  const [error, setError] = useState<unknown>();
  const [previewed, setPreviewed] = useState<string>();
  const doing = (what: typeof isBusy, act: () => Promise<unknown>) => () => {
    setBusy(what);
    setError(undefined);
    act()
      .catch(setError)
      .finally(() => setBusy(undefined));
  };
  const preview = doing('preview', async () => {
    if (request === undefined) return;
    const { profile, missing, createMissing, options } = request;
    const { requireApproval: _, ...asked } = { requireApproval: false, ...options };
    // The file stays held: it can be tried again, and imported.
    const trial = await api.importHeldFile({
      id: fileId,
      body: { hold: true, profile, missing, createMissing, options: { ...asked, validateOnly: true } },
    });
    const jobId = 'jobId' in trial ? trial.jobId : trial.id;
    setPreviewed(JSON.stringify(request));
    await navigate({ search: { ...search, preview: jobId }, replace: true, resetScroll: false });
  });
  const begin = doing('import', async () => {
    if (request === undefined) return;
    const { profile, missing, createMissing, options } = request;
    const name = profileName.trim();
    const by = name === '' ? (search.profile ?? profile) : (await api.profiles.save(name, profile)).name;
    const needsApproval = mayWrite ? {} : { requireApproval: true };
    const asked = await api.importHeldFile({
      id: fileId,
      body: { profile: by, missing, createMissing, options: { ...options, ...needsApproval } },
    });
    const jobId = 'jobId' in asked ? asked.jobId : asked.id;
    watchJob({ id: jobId, stage: stage.name, name: found.name });
    await navigate({ to: '/$stage/imports/$jobId', params: { stage: stage.name, jobId } });
  });
  const discard = doing('discard', async () => {
    const { jobId } = await api.getFile({ id: fileId });
    if (jobId !== null) await api.cancelJob({ id: jobId });
    await navigate({ to: '/$stage/imports', params: { stage: stage.name } });
  });
  return { preview, import: begin, discard, isBusy, error, previewed };
}
