/** Takes a file: it is uploaded and held, so that one sees what is in it first. */
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { DropZone, type FileDropItem, FileTrigger } from 'react-aria-components';
import { Button } from '../../components/button.js';
import { Progress } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { ChoiceInput } from '../../components/fields.js';
import { Icon } from '../../components/icon.js';
import { Page } from '../../components/page.js';
import { watchJob } from '../../jobs/watched-jobs.js';
import { apiOf, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { isErrorFile } from './error-table.js';
import { startImport } from './start-import.js';
import { useImportText } from './texts.js';

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
});

const TYPES = ['ITEM_IMPORT', 'BUNDLE_IMPORT', 'ATTRIBUTE_IMPORT', 'CATEGORY_IMPORT'] as const;
type FileType = (typeof TYPES)[number];

export function NewImportPage() {
  const t = useText();
  const i = useImportText();
  const format = useFormat();
  const { session, stage } = usePresent();
  const params = useParams({ from: '/$stage/imports/new' });
  const navigate = useNavigate();
  const [type, setType] = useState<FileType>('ITEM_IMPORT');
  const [file, setFile] = useState<File>();
  const [sent, setSent] = useState(0);
  const [error, setError] = useState<unknown>();
  /** What could not be uploaded: it need not be looked for again. */
  const [failed, setFailed] = useState<File>();
  const stop = useRef<AbortController>(undefined);

  const begin = async (chosen: File) => {
    setError(undefined);
    setFailed(undefined);
    const problem = problemOf(chosen);
    if (problem !== undefined)
      return setError(
        new Error(t(problem, { name: chosen.name, size: format.bytes(chosen.size), endings: format.list(ENDINGS) })),
      );
    setFile(chosen);
    setSent(0);
    stop.current = new AbortController();
    const api = apiOf(session.accountId, stage.name, setSent);
    const options = { fileName: chosen.name, type, signal: stop.current.signal };
    try {
      // An error file brings what its job was told, so that nothing has to be asked again.
      if (await isErrorFile(chosen)) {
        const jobId = await startImport(api, chosen, options);
        watchJob({ id: jobId, stage: stage.name, name: chosen.name });
        await navigate({ to: '/$stage/imports/$jobId', params: { ...params, jobId } });
        return;
      }
      const held = await api.hold(chosen, options);
      await navigate({ to: '/$stage/imports/new/$fileId', params: { ...params, fileId: held.file.id } });
    } catch (failure) {
      if (!stop.current.signal.aborted) {
        setError(failure);
        setFailed(chosen);
      }
      setFile(undefined);
    }
  };
  const take = (files: FileList | readonly File[] | null) => {
    const [first] = files ?? [];
    if (first !== undefined) void begin(first);
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
        <ErrorPanel error={error} onRetry={failed === undefined ? undefined : () => void begin(failed)} />
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
          <Progress
            label={t('uploading', { name: file.name })}
            share={file.size === 0 ? undefined : sent / file.size}
            note={t('sent', { sent: format.bytes(sent), total: format.bytes(file.size) })}
          />
          <Button onPress={() => stop.current?.abort()}>{t('stop')}</Button>
        </div>
      )}
    </Page>
  );
}

function problemOf({ name, size }: File): 'ending' | 'large' | 'empty' | undefined {
  if (!ENDINGS.some((ending) => name.toLowerCase().endsWith(ending))) return 'ending';
  if (size === 0) return 'empty';
  return size > MOST_BYTES ? 'large' : undefined;
}
