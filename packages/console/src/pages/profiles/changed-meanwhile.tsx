/** Tells the later of two people who edit one profile what the other has changed, before anything is overwritten. */
import type { schemas } from '@longshore/client';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { type Column, DataTable } from '../../components/table.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { type Difference, type Document, differencesOf } from './draft.js';

const useText = textsOf('profile-conflict', {
  title: { en: 'Somebody else has changed this profile', de: 'Jemand anderes hat dieses Profil geändert' },
  note: {
    en: 'You have edited version {mine}; since then, {when}, version {theirs} was saved. Nothing of yours was written.',
    de: 'Sie haben Version {mine} bearbeitet; seitdem, {when}, wurde Version {theirs} gespeichert. Von Ihnen wurde nichts geschrieben.',
  },
  column: { en: 'Column', de: 'Spalte' },
  file: { en: 'How the file is read', de: 'Wie die Datei gelesen wird' },
  theirs: { en: 'Theirs', de: 'Dort' },
  mine: { en: 'Yours', de: 'Bei Ihnen' },
  differences: { en: 'What differs', de: 'Was sich unterscheidet' },
  take: { en: 'Take theirs', de: 'Deren Stand nehmen' },
  keep: { en: 'Save yours over it', de: 'Ihren darüber speichern' },
});

const MOST = 20;
const LONGEST = 160;

interface ChangedMeanwhileProps {
  readonly newest: schemas.ImportProfile;
  readonly version: number;
  readonly mine: Document;
  readonly onTake: () => void;
  readonly onKeep: () => void;
}

export function ChangedMeanwhile({ newest, version, mine, onTake, onKeep }: ChangedMeanwhileProps) {
  const t = useText();
  const format = useFormat();
  const rows = differencesOf(newest.profile as Document, mine).slice(0, MOST);
  const columns: Column<Difference>[] = [
    { id: 'column', title: t('column'), isHeader: true, cell: ({ column }) => <bdi>{column ?? t('file')}</bdi> },
    { id: 'theirs', title: t('theirs'), cell: ({ theirs }) => <bdi className="code">{cut(theirs)}</bdi> },
    { id: 'mine', title: t('mine'), cell: ({ mine: own }) => <bdi className="code">{cut(own)}</bdi> },
  ];
  return (
    <Notice
      tone="bad"
      title={t('title')}
      actions={
        <>
          <Button kind="primary" onPress={onTake}>
            {t('take')}
          </Button>
          <Button onPress={onKeep}>{t('keep')}</Button>
        </>
      }
    >
      <p>
        {t('note', {
          mine: version,
          theirs: newest.version,
          when: newest.updatedAt === null ? '' : format.ago(newest.updatedAt),
        })}
      </p>
      <DataTable
        isDense
        caption={t('differences')}
        columns={columns}
        rows={rows}
        keyOf={({ column }) => column ?? ''}
      />
    </Notice>
  );
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
