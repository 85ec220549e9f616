/** Tells the later of two people who change the same thing that somebody else has saved it since, before anything is overwritten. */
import { Button } from '../components/button.js';
import { Notice } from '../components/content.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('saved-since', {
  title: {
    en: 'Somebody else has saved this since you opened it',
    de: 'Jemand anderes hat das gespeichert, seit Sie es geöffnet haben',
  },
  help: {
    en: 'Nothing of yours was written. Look at what is saved now, or write yours over it.',
    de: 'Von Ihnen wurde nichts geschrieben. Sehen Sie an, was jetzt gespeichert ist, oder schreiben Sie Ihres darüber.',
  },
  take: { en: 'Show what is saved now', de: 'Zeigen, was jetzt gespeichert ist' },
  keep: { en: 'Write mine over it', de: 'Meines darüber schreiben' },
});

interface SavedSinceProps {
  /** What was typed is given up. */
  readonly onTake: () => void;
  readonly onKeep: () => void;
}

export function SavedSince({ onTake, onKeep }: SavedSinceProps) {
  const t = useText();
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
      <p>{t('help')}</p>
    </Notice>
  );
}
