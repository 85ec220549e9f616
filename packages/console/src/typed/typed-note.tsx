/** Says that a form holds what was typed before, what has to be typed again, and offers to begin anew. */
import { Button } from '../components/button.js';
import { Notice } from '../components/content.js';
import { textsOf } from '../texts/texts.js';
import type { Typed } from './use-typed.js';

const useText = textsOf('typed', {
  title: { en: 'What you typed before is here again', de: 'Was Sie vorher eingegeben haben, ist wieder da' },
  secret: {
    en: 'Passwords and keys are not kept in the browser: enter them again.',
    de: 'Passwörter und Schlüssel bleiben nicht im Browser: Geben Sie sie noch einmal ein.',
  },
  outdated: {
    en: 'Somebody has saved it since. Begin anew to see what is saved now.',
    de: 'Inzwischen hat jemand gespeichert. Beginnen Sie neu, um den jetzigen Stand zu sehen.',
  },
  restart: { en: 'Begin anew', de: 'Neu beginnen' },
});

export function TypedNote({ typed: { found, restart } }: { readonly typed: Pick<Typed<object>, 'found' | 'restart'> }) {
  const t = useText();
  if (found === undefined) return null;
  return (
    <Notice
      tone={found.lacksSecret || found.isOutdated ? 'warn' : 'neutral'}
      title={t('title')}
      actions={<Button onPress={restart}>{t('restart')}</Button>}
    >
      {found.lacksSecret ? <p>{t('secret')}</p> : null}
      {found.isOutdated ? <p>{t('outdated')}</p> : null}
    </Notice>
  );
}
