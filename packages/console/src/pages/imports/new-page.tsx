/** Takes a file: it is uploaded and held, so that one sees what is in it first. */
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { DropZone } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import type { FileDropItem } from 'react-aria-components/GridList';
import { Button } from '../../components/button.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { Notice, Progress } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Icon } from '../../components/icon.js';
import { Page } from '../../components/page.js';
import { watchJob } from '../../jobs/watched-jobs.js';
import { usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useImportText } from './texts.js';
import { type Cut, useUpload } from './use-upload.js';

const ENDINGS = ['.csv', '.tsv', '.xlsx', '.ods', '.json', '.jsonl', '.ndjson', '.xml', '.gz'];
const MOST_BYTES = 1_073_741_824;

const useText = textsOf('new-import', {
  note: {
    en: 'Nothing is imported yet: first you see what is in the file and how it would be read.',
    de: 'Noch wird nichts importiert: Zuerst sehen Sie, was in der Datei ist und wie sie gelesen würde.',
  },
  drop: { en: 'Drop your file here', de: 'Legen Sie Ihre Datei hier ab' },
  or: { en: 'or', de: 'oder' },
  choose: { en: 'Choose a file', de: 'Datei auswählen' },
  endings: {
    en: 'CSV, TSV, Excel, OpenDocument, JSON or XML, as your programs write it; up to 1 GB. Error files, too.',
    de: 'CSV, TSV, Excel, OpenDocument, JSON oder XML, wie Ihre Programme es schreiben; bis 1 GB. Auch Fehlerdateien.',
  },
  kind: { en: 'The file contains', de: 'Die Datei enthält' },
  ITEM_IMPORT: { en: 'items', de: 'Artikel' },
  BUNDLE_IMPORT: { en: 'bundles', de: 'Sets' },
  ATTRIBUTE_IMPORT: { en: 'attributes', de: 'Attribute' },
  CATEGORY_IMPORT: { en: 'categories', de: 'Kategorien' },
  uploading: { en: 'Uploading {name}', de: '{name} wird hochgeladen' },
  sent: { en: '{sent} of {total}', de: '{sent} von {total}' },
  stop: { en: 'Stop', de: 'Anhalten' },
  ending: {
    en: '{name} does not end with a format that can be imported. Possible are {endings}.',
    de: '{name} endet nicht mit einem Format, das importiert werden kann. Möglich sind {endings}.',
  },
  large: {
    en: '{name} has {size}; at most 1 GB can be uploaded. Divide it, or leave out columns that you do not need.',
    de: '{name} hat {size}; höchstens 1 GB kann hochgeladen werden. Teilen Sie die Datei oder lassen Sie Spalten weg, die Sie nicht brauchen.',
  },
  empty: { en: '{name} is empty.', de: '{name} ist leer.' },
  gone: {
    en: '{name} has changed or was moved since it was chosen, so that the browser cannot read it. Choose it again.',
    de: '{name} wurde geändert oder verschoben, seit Sie die Datei ausgewählt haben: Der Browser kann sie nicht lesen. Wählen Sie sie noch einmal aus.',
  },
  cutAt: { en: 'The upload was cut at {sent}', de: 'Der Upload ist bei {sent} abgebrochen' },
  lost: { en: 'The connection was lost.', de: 'Die Verbindung ist abgerissen.' },
  offline: {
    en: 'This computer has no connection. The upload goes on when it is back.',
    de: 'Dieser Computer hat keine Verbindung. Der Upload geht weiter, wenn sie wieder da ist.',
  },
  goesOn: {
    en: 'What has arrived is kept: it goes on by itself after {kept}.',
    de: 'Was angekommen ist, bleibt erhalten: Der Upload geht von selbst nach {kept} weiter.',
  },
  kept: {
    en: '{kept} of {name} have arrived and are kept for a day. “Try again” goes on from there, as long as this page stays open.',
    de: '{kept} von {name} sind angekommen und bleiben einen Tag lang erhalten. „Noch einmal versuchen“ macht dort weiter, solange diese Seite offen ist.',
  },
  idle: { en: 'No byte arrived for a while.', de: 'Eine Weile ist kein Byte angekommen.' },
  refused: { en: 'Longshore could not take it:', de: 'Longshore konnte ihn nicht annehmen:' },
  again: {
    en: 'Of a part nothing is kept: it begins again at its start, by itself. This is upload {attempt} of at most {attempts}.',
    de: 'Von einem Teil wird nichts aufbewahrt: Der Upload beginnt von selbst am Anfang. Das ist Upload {attempt} von höchstens {attempts}.',
  },
});

const TYPES = ['ITEM_IMPORT', 'BUNDLE_IMPORT', 'ATTRIBUTE_IMPORT', 'CATEGORY_IMPORT'] as const;
type FileType = (typeof TYPES)[number];

export function NewImportPage() {
  const t = useText();
  const i = useImportText();
  const format = useFormat();
  const { stage } = usePresent();
  const params = useParams({ from: '/$stage/imports/new' });
  const navigate = useNavigate();
  const [type, setType] = useState<FileType>('ITEM_IMPORT');
  const { file, sent, cut, error, failed, begin, stop, refuse } = useUpload({
    type,
    onImport: async (jobId, { name }) => {
      watchJob({ id: jobId, stage: stage.name, name });
      await navigate({ to: '/$stage/imports/$jobId', params: { ...params, jobId } });
    },
    onHeld: (fileId) => navigate({ to: '/$stage/imports/new/$fileId', params: { ...params, fileId } }),
    gone: ({ name }) => new Error(t('gone', { name })),
  });
  const check = (chosen: File) => {
    const problem = problemOf(chosen);
    if (problem === undefined) return begin(chosen);
    const facts = { name: chosen.name, size: format.bytes(chosen.size), endings: format.list(ENDINGS) };
    return refuse(new Error(t(problem, facts)));
  };
  const take = (files: FileList | readonly File[] | null) => {
    const [first] = files ?? [];
    if (first !== undefined) void check(first);
  };

  return (
    <Page
      title={i('importFile')}
      note={t('note')}
      above={
        <Link to="/$stage/imports" params={params}>
          {i('back')}
        </Link>
      }
    >
      {error === undefined ? null : (
        <ErrorPanel error={error} onRetry={failed === undefined ? undefined : () => void begin(failed.file)} />
      )}
      {failed === undefined || failed.kept === 0 ? null : (
        <p>{t('kept', { kept: format.bytes(failed.kept), name: failed.file.name })}</p>
      )}
      {file === undefined ? (
        <>
          <DropZone
            className="drop-zone"
            aria-label={t('drop')}
            getDropOperation={() => 'copy'}
            onDrop={async ({ items }) => {
              const found = items.filter((item): item is FileDropItem => item.kind === 'file');
              take(await Promise.all(found.map((item) => item.getFile())));
            }}
          >
            <Icon name="imports" />
            <p className="drop-title">{t('drop')}</p>
            <p className="small">{t('or')}</p>
            <FileTrigger acceptedFileTypes={ENDINGS} onSelect={take}>
              <Button kind="primary">{t('choose')}</Button>
            </FileTrigger>
            <p className="small">{t('endings')}</p>
          </DropZone>
          <div className="filters">
            <ChoiceInput
              label={t('kind')}
              value={type}
              choices={TYPES.map((id) => ({ id, label: t(id) }))}
              onChange={setType}
            />
          </div>
        </>
      ) : (
        <div className="upload">
          {cut === undefined ? null : <CutNotice cut={cut} />}
          <Progress
            label={t('uploading', { name: file.name })}
            share={file.size === 0 ? undefined : sent / file.size}
            note={t('sent', { sent: format.bytes(sent), total: format.bytes(file.size) })}
          />
          <Button onPress={stop}>{t('stop')}</Button>
        </div>
      )}
    </Page>
  );
}

/** Why an upload was cut, and how it goes on. */
function CutNotice({ cut: { at, error, attempt, attempts, keptBytes } }: { readonly cut: Cut }) {
  const t = useText();
  const format = useFormat();
  return (
    <Notice tone="warn" title={t('cutAt', { sent: format.bytes(at) })}>
      {error.status === 0 ? <p>{t(navigator.onLine ? 'lost' : 'offline')}</p> : null}
      {error.status === 408 ? <p>{t('idle')}</p> : null}
      {error.status === 0 || error.status === 408 ? null : (
        <p>
          {t('refused')} <span lang="en">{error.message.replace(/^.* was answered \d+: /, '')}</span>
        </p>
      )}
      <p>
        {keptBytes === undefined ? t('again', { attempt, attempts }) : t('goesOn', { kept: format.bytes(keptBytes) })}
      </p>
    </Notice>
  );
}

function problemOf({ name, size }: File): 'ending' | 'large' | 'empty' | undefined {
  if (!ENDINGS.some((ending) => name.toLowerCase().endsWith(ending))) return 'ending';
  if (size === 0) return 'empty';
  return size > MOST_BYTES ? 'large' : undefined;
}
