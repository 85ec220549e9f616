/** What a test of a feed has seen: its files, and which of them a run would take; or why it has seen nothing. */
import type { schemas } from '@longshore/client';
import { Badge, Notice, type Tone } from '../../components/content.js';
import { type Column, DataTable } from '../../components/table.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { Failure } from './failure.js';

const useText = textsOf('feed-seen', {
  failed: { en: 'The connection does not work', de: 'Die Verbindung funktioniert nicht' },
  reached: {
    en: 'The connection works: {count, plural, =0 {no file is there} one {# file is there} other {# files are there}}, and a run would take {taken, plural, =0 {none of them} other {#}}',
    de: 'Die Verbindung funktioniert: {count, plural, =0 {Keine Datei ist da} one {# Datei ist da} other {# Dateien sind da}}, und ein Lauf nähme {taken, plural, =0 {keine davon} other {#}}',
  },
  writable: {
    en: 'The connection works: files can be sent there',
    de: 'Die Verbindung funktioniert: Dateien können dorthin gesendet werden',
  },
  untried: { en: 'It answers; nothing was sent', de: 'Sie antwortet; gesendet wurde nichts' },
  left: {
    en: 'The file of the test could not be removed again: {name} is still there, and older files of this feed cannot be removed either.',
    de: 'Die Datei des Tests ließ sich nicht wieder entfernen: {name} liegt noch dort, und auch ältere Dateien dieses Feeds lassen sich nicht entfernen.',
  },
  emptyHelp: {
    en: 'Put a file there, or look at the names that are to be taken.',
    de: 'Legen Sie dort eine Datei ab oder prüfen Sie, welche Namen genommen werden.',
  },
  more: {
    en: 'There are more files than are looked at: have those that were taken moved away or deleted.',
    de: 'Es sind mehr Dateien da, als angesehen werden: Lassen Sie genommene verschieben oder löschen.',
  },
  first: { en: 'The first {count} are shown.', de: 'Die ersten {count} werden gezeigt.' },
  files: { en: 'Files', de: 'Dateien' },
  name: { en: 'File', de: 'Datei' },
  size: { en: 'Size', de: 'Größe' },
  changed: { en: 'Changed', de: 'Geändert' },
  fate: { en: 'A run', de: 'Ein Lauf' },
  NEW: { en: 'takes it', de: 'nimmt sie' },
  KNOWN: { en: 'has taken it before', de: 'hat sie schon genommen' },
  WAITING: { en: 'waits until it is complete', de: 'wartet, bis sie vollständig ist' },
  REFUSED: { en: 'leaves it', de: 'lässt sie liegen' },
});

const TONES: Readonly<Record<Seen['fate'], Tone>> = { NEW: 'good', KNOWN: 'neutral', WAITING: 'busy', REFUSED: 'warn' };
type Seen = schemas.FeedTest['files'][number];

export function SeenFiles({ test }: { readonly test: schemas.FeedTest }) {
  const t = useText();
  const format = useFormat();
  const columns = useColumns();
  const { failure, seen, more, files, writable, left } = test;
  if (failure !== null) {
    return (
      <Notice tone="bad" title={t('failed')}>
        <Failure failure={failure} />
      </Notice>
    );
  }
  if (test.untried === true) return <Notice tone="good" title={t('untried')} />;
  if (writable !== null) {
    return (
      <Notice tone={left === null ? 'good' : 'warn'} title={t('writable')}>
        {left === null ? null : <p>{t('left', { name: left })}</p>}
      </Notice>
    );
  }
  const taken = files.filter(({ fate }) => fate === 'NEW').length;
  return (
    <>
      <Notice tone={seen === 0 ? 'warn' : 'good'} title={t('reached', { count: seen, taken })}>
        {seen === 0 ? <p>{t('emptyHelp')}</p> : null}
        {more ? <p>{t('more')}</p> : null}
      </Notice>
      {files.length === 0 ? null : (
        <DataTable isDense caption={t('files')} columns={columns} rows={files} keyOf={({ name }) => name} />
      )}
      {seen > files.length && files.length > 0 ? (
        <p className="note">{t('first', { count: format.number(files.length) })}</p>
      ) : null}
    </>
  );
}

function useColumns(): readonly Column<Seen>[] {
  const t = useText();
  const format = useFormat();
  return [
    { id: 'name', title: t('name'), isHeader: true, cell: ({ name }) => <bdi className="file-name">{name}</bdi> },
    {
      id: 'fate',
      title: t('fate'),
      cell: ({ fate, reason }) => (
        <span className="stacked">
          <Badge tone={TONES[fate]}>{t(fate)}</Badge>
          {reason === null ? null : (
            <span className="small" lang="en">
              {reason}
            </span>
          )}
        </span>
      ),
    },
    {
      id: 'size',
      title: t('size'),
      isNumber: true,
      cell: ({ bytes }) => (bytes === null ? '–' : format.bytes(bytes)),
    },
    {
      id: 'changed',
      title: t('changed'),
      isMinor: true,
      cell: ({ modifiedAt }) =>
        modifiedAt === null ? '–' : <time dateTime={modifiedAt}>{format.time(modifiedAt)}</time>,
    },
  ];
}
