/** One profile: its columns, how its files are read, and a live preview on the last file that was imported with it. */
import type { schemas } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Badge } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useDefinitions } from '../catalog/use-attributes.js';
import { ChangedMeanwhile } from './changed-meanwhile.js';
import { ContinuedRows } from './continued-rows.js';
import { cleaned, type Rule, withContinuation } from './draft.js';
import { FormatFields } from './format-fields.js';
import { type Deed, ProfileDialog } from './profile-dialogs.js';
import { RuleDialog } from './rule-dialog.js';
import { RulesTable } from './rules-table.js';
import { SkipRows } from './skip-rows.js';
import { targetsOf } from './targets.js';
import { useProfileText } from './texts.js';
import { Trial } from './trial.js';
import { useDraft } from './use-draft.js';
import { useFiles, useInspection, useTrial } from './use-trial.js';

const useText = textsOf('profile-page', {
  rename: { en: 'Rename', de: 'Umbenennen' },
  copy: { en: 'Copy', de: 'Kopieren' },
  delete: { en: 'Delete', de: 'Löschen' },
  changed: { en: 'There are changes that are not saved', de: 'Es gibt Änderungen, die nicht gespeichert sind' },
  unchanged: { en: 'Nothing is changed', de: 'Nichts ist geändert' },
  save: { en: 'Save', de: 'Speichern' },
  discard: { en: 'Discard', de: 'Verwerfen' },
  shippedNote: {
    en: 'This profile comes with Longshore and cannot be changed. Copy it to change it.',
    de: 'Dieses Profil wird mitgeliefert und kann nicht geändert werden. Kopieren Sie es, um es zu ändern.',
  },
});

export function ProfilePage() {
  const p = useProfileText();
  const api = useApi();
  const { stage } = usePresent();
  const { name } = useSearch({ from: '/$stage/imports/profiles/profile' });
  const { data, error, refetch } = useQuery({
    queryKey: ['profiles', stage.name, 'one', name],
    // While somebody edits, what is edited stays what was read.
    refetchOnWindowFocus: false,
    queryFn: ({ signal }) => api.getImportProfile({ name }, { signal }),
  });
  const back = (
    <Link to="/$stage/imports/profiles" params={{ stage: stage.name }}>
      {p('back')}
    </Link>
  );
  if (data === undefined) {
    return (
      <Page title={name} above={back}>
        {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  }
  return <ShownProfile key={data.name} stored={data} above={back} />;
}

function ShownProfile({ stored, above }: { readonly stored: schemas.ImportProfile; readonly above: React.ReactNode }) {
  const t = useText();
  const p = useProfileText();
  const search = useSearch({ from: '/$stage/imports/profiles/profile' });
  const navigate = useNavigate({ from: '/$stage/imports/profiles/profile' });
  const mayWrite = useMay('catalog:write');
  const { draft, edit, isChanged, ...saving } = useDraft(stored);
  const { document } = draft;
  const [editing, setEditing] = useState<number>();
  const [deed, setDeed] = useState<Deed>();
  const { data: definitions } = useDefinitions();
  const { data: files = [] } = useFiles(stored.name, document.fileType);
  const fileId = files.find(({ id }) => id === search.file)?.id ?? files[0]?.id;
  const { data: inspected } = useInspection(fileId, document);
  const trial = useTrial(fileId, cleaned(document));
  const columns = inspected?.inspection.columns ?? [];
  const sources = columns.map(({ name }) => name);
  const mayEdit = mayWrite && !stored.shipped;
  const rule = editing === undefined ? undefined : document.columns[editing];
  const setRules = (rules: Rule[]) => edit({ ...document, columns: rules });
  const closeRule = () => {
    setEditing(undefined);
    edit(cleaned(document));
  };
  return (
    <Page
      title={stored.name}
      above={above}
      note={
        <>
          {p(document.fileType)} · {p('version', { version: stored.version })}{' '}
          {stored.shipped ? <Badge tone="neutral">{p('shipped')}</Badge> : null}
          {stored.shipped ? ` ${t('shippedNote')}` : null}
        </>
      }
      actions={
        mayWrite ? (
          <>
            <Button onPress={() => setDeed('copy')}>{t('copy')}</Button>
            {mayEdit ? <Button onPress={() => setDeed('rename')}>{t('rename')}</Button> : null}
            {mayEdit ? (
              <Button kind="danger" onPress={() => setDeed('delete')}>
                {t('delete')}
              </Button>
            ) : null}
          </>
        ) : null
      }
    >
      {saving.newest === undefined ? null : (
        <ChangedMeanwhile
          newest={saving.newest}
          version={draft.version}
          mine={document}
          onTake={saving.take}
          onKeep={saving.keep}
        />
      )}
      {saving.error === undefined ? null : <ErrorPanel error={saving.error} />}
      <RulesTable
        rules={document.columns}
        columns={columns}
        onEdit={mayEdit ? setEditing : undefined}
        onAdd={(added) => {
          setRules([...document.columns, added]);
          setEditing(document.columns.length);
        }}
      />
      <Trial
        files={files}
        fileId={fileId}
        trial={trial}
        onFile={(file) => void navigate({ search: { ...search, file }, replace: true, resetScroll: false })}
      />
      {mayEdit ? (
        <>
          <SkipRows
            filters={document.skipRowsWhen ?? []}
            sources={sources}
            onChange={(skipRowsWhen) => edit({ ...document, skipRowsWhen })}
          />
          <ContinuedRows
            continuation={document.continuationRows}
            sources={sources}
            onChange={(continuation) => edit(withContinuation(document, continuation))}
          />
          <FormatFields document={document} onChange={edit} />
          <div className="send-bar">
            <p>
              <strong>{t(isChanged ? 'changed' : 'unchanged')}</strong>
            </p>
            <div className="actions">
              <Button isDisabled={!isChanged} onPress={saving.discard}>
                {t('discard')}
              </Button>
              <Button
                kind="primary"
                icon="save"
                isDisabled={!isChanged}
                isPending={saving.isBusy}
                onPress={saving.save}
              >
                {t('save')}
              </Button>
            </div>
          </div>
        </>
      ) : null}
      {rule === undefined || editing === undefined ? null : (
        <RuleDialog
          rule={rule}
          sources={sources}
          targets={targetsOf(document.fileType, definitions)}
          trial={trial.error === null ? trial.data?.trial : undefined}
          onChange={(next) => setRules(document.columns.map((before, at) => (at === editing ? next : before)))}
          onRemove={() => {
            setEditing(undefined);
            setRules(document.columns.filter((_, at) => at !== editing));
          }}
          onClose={closeRule}
        />
      )}
      {deed === undefined ? null : (
        <ProfileDialog
          deed={deed}
          name={stored.name}
          version={stored.version}
          document={document}
          onClose={() => setDeed(undefined)}
        />
      )}
    </Page>
  );
}
