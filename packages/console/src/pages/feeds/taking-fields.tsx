/** Which files a feed takes, when one is complete, and what becomes of it afterwards. */
import { Section } from '../../components/content.js';
import { RadioCards } from '../../components/radio-cards.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import type { FeedValues } from './feed-values.js';
import type { FormFieldsProps } from './form-kind.js';

const useText = textsOf('feed-taking', {
  title: { en: 'Which files', de: 'Welche Dateien' },
  note: {
    en: 'A file is taken once, and again when its content is another one.',
    de: 'Eine Datei wird einmal genommen, und wieder, wenn sie einen anderen Inhalt hat.',
  },
  pattern: { en: 'Names', de: 'Namen' },
  patternHelp: {
    en: '* is any text, ? one character: items-*.csv',
    de: '* steht für beliebigen Text, ? für ein Zeichen: artikel-*.csv',
  },
  take: { en: 'Of several files', de: 'Von mehreren Dateien' },
  all: { en: 'All, one after the other', de: 'Alle, eine nach der anderen' },
  inOrder: { en: 'All, and none before those that it builds on', de: 'Alle, und keine vor denen, auf die sie aufbaut' },
  newest: { en: 'Only the newest', de: 'Nur die neueste' },
  complete: { en: 'When is a file complete?', de: 'Wann ist eine Datei vollständig?' },
  settles: { en: 'When it does not change any more', de: 'Wenn sie sich nicht mehr ändert' },
  settlesHelp: { en: 'Two looks, some seconds apart', de: 'Zweimal nachgesehen, einige Sekunden auseinander' },
  marker: { en: 'When a marker lies beside it', de: 'Wenn eine Markierung daneben liegt' },
  markerHelp: { en: 'Such as items.csv.done', de: 'Zum Beispiel artikel.csv.done' },
  doneMarker: { en: 'Ending of the marker', de: 'Endung der Markierung' },
  settleSeconds: { en: 'Seconds between the looks', de: 'Sekunden dazwischen' },
  afterwards: { en: 'And afterwards?', de: 'Und danach?' },
  leave: { en: 'Leave it where it is', de: 'Liegen lassen' },
  move: { en: 'Move it to a folder', de: 'In einen Ordner verschieben' },
  delete: { en: 'Delete it', de: 'Löschen' },
  moveTo: { en: 'Folder, within that of the files', de: 'Ordner, innerhalb dessen der Dateien' },
});

export function TakingFields({ values, wrong, onChange }: FormFieldsProps<FeedValues>) {
  const t = useText();
  const { take, completes, afterwards } = values;
  const isOneFile = values.connection.kind === 'https';
  const field = (name: 'pattern' | 'doneMarker' | 'settleSeconds' | 'moveTo', path: string, help?: string) => (
    <TextInput
      label={t(name)}
      help={help}
      error={wrong.get(path)}
      value={values[name]}
      onChange={(text) => onChange({ [name]: text })}
      autoComplete="off"
      spellCheck="false"
    />
  );
  return (
    <Section title={t('title')} note={t('note')}>
      {isOneFile ? null : (
        <>
          {field('pattern', 'pick.pattern', t('patternHelp'))}
          <RadioCards
            label={t('take')}
            value={take}
            choices={(['all', 'inOrder', 'newest'] as const).map((value) => ({ value, label: t(value) }))}
            onChange={(value) => onChange({ take: value as 'all' })}
          />
        </>
      )}
      <RadioCards
        label={t('complete')}
        value={completes}
        choices={(['settles', 'marker'] as const).map((value) => ({ value, label: t(value), help: t(`${value}Help`) }))}
        onChange={(value) => onChange({ completes: value as 'marker' })}
      />
      {completes === 'marker' ? field('doneMarker', 'pick.doneMarker') : field('settleSeconds', 'pick.settleSeconds')}
      {isOneFile ? null : (
        <>
          <RadioCards
            label={t('afterwards')}
            value={afterwards}
            choices={(['leave', 'move', 'delete'] as const).map((value) => ({ value, label: t(value) }))}
            onChange={(value) => onChange({ afterwards: value as 'leave' })}
          />
          {afterwards === 'move' ? field('moveTo', 'afterwards') : null}
        </>
      )}
    </Section>
  );
}
