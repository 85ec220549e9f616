/** The files that a destination sends: whole or changes, their names, how many stay, and what an empty one does. */
import { Section } from '../../components/content.js';
import { RadioCards } from '../../components/radio-cards.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import type { DestinationValues } from './destination-values.js';
import type { FormFieldsProps } from './form-kind.js';

const useText = textsOf('feed-sent', {
  title: { en: 'The files that are sent', de: 'Die gesendeten Dateien' },
  content: { en: 'What is in each file?', de: 'Was enthält jede Datei?' },
  WHOLE: { en: 'Everything', de: 'Alles' },
  DELTA: { en: 'What changed since the last file', de: 'Was sich seit der letzten Datei geändert hat' },
  deltaHelp: { en: 'The first one has everything', de: 'Die erste enthält alles' },
  fileName: { en: 'Name of each file', de: 'Name jeder Datei' },
  nameHelp: {
    en: '“date”, “time”, “sequence” and “content” in braces are filled in. Changes need the sequence, so that no file replaces another.',
    de: '„date“, „time“, „sequence“ und „content“ in geschweiften Klammern werden ausgefüllt. Änderungen brauchen „sequence“, damit keine Datei eine andere ersetzt.',
  },
  keep: { en: 'How many files stay there', de: 'Wie viele Dateien dort bleiben' },
  keepHelp: {
    en: 'Older ones that this feed has sent are removed. Empty: all stay',
    de: 'Ältere, die dieser Feed gesendet hat, werden entfernt. Leer: Alle bleiben',
  },
  whenEmpty: { en: 'And if there is nothing to send?', de: 'Und wenn es nichts zu senden gibt?' },
  SKIP: { en: 'Send no file', de: 'Keine Datei senden' },
  WRITE: { en: 'Send an empty file', de: 'Eine leere Datei senden' },
});

export function SentFields({ values, wrong, onChange }: FormFieldsProps<DestinationValues>) {
  const t = useText();
  const { content, fileName, keep, whenEmpty, connection } = values;
  const isPublished = connection.kind === 'published';
  return (
    <Section title={t('title')}>
      {isPublished ? null : (
        <RadioCards
          label={t('content')}
          value={content}
          choices={[
            { value: 'WHOLE', label: t('WHOLE') },
            { value: 'DELTA', label: t('DELTA'), help: t('deltaHelp') },
          ]}
          onChange={(value) => onChange({ content: value as 'WHOLE' })}
        />
      )}
      {wrong.has('content') ? <p className="field-error">{wrong.get('content')}</p> : null}
      <div className="field-grid">
        <TextInput
          label={t('fileName')}
          help={t('nameHelp')}
          error={wrong.get('fileName')}
          value={fileName}
          onChange={(name) => onChange({ fileName: name })}
          autoComplete="off"
          spellCheck="false"
        />
        {isPublished || connection.kind === 'https' ? null : (
          <TextInput
            label={t('keep')}
            help={t('keepHelp')}
            error={wrong.get('keep')}
            value={keep}
            onChange={(count) => onChange({ keep: count })}
            inputMode="numeric"
            autoComplete="off"
          />
        )}
      </div>
      <RadioCards
        label={t('whenEmpty')}
        value={whenEmpty}
        choices={(['SKIP', 'WRITE'] as const).map((value) => ({ value, label: t(value) }))}
        onChange={(value) => onChange({ whenEmpty: value as 'SKIP' })}
      />
    </Section>
  );
}
