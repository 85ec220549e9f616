/** What was changed on the page and is not written yet, and the way to write it. */
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { later, useLater } from '../../components/later.js';
import { textsOf } from '../../texts/texts.js';
import { sizeOf, useDrafts } from './drafts.js';

/** Nothing is written before something is typed: it is loaded meanwhile. */
const saving = later(() => import('./save-dialog.js'));

const useText = textsOf('save-bar', {
  changes: {
    en: '{values, plural, one {# change} other {# changes}} in {items, plural, one {# item} other {# items}}',
    de: '{values, plural, one {# Änderung} other {# Änderungen}} in {items, plural, one {# Artikel} other {# Artikeln}}',
  },
  wrong: {
    en: '{count, plural, one {# value is} other {# values are}} missing or not a number',
    de: '{count, plural, one {# Wert fehlt oder ist} other {# Werte fehlen oder sind}} keine Zahl',
  },
  look: { en: 'See what would change', de: 'Ansehen, was sich ändern würde' },
  discard: { en: 'Discard', de: 'Verwerfen' },
});

/** @param onWritten which items were changed */
export function SaveBar({ onWritten }: { readonly onWritten: (skus: readonly string[]) => void }) {
  const t = useText();
  const { drafts, forget } = useDrafts();
  const [isOpen, setOpen] = useState(false);
  const dialog = useLater(saving);
  const { items, values, wrong } = sizeOf(drafts);
  if (values === 0 && !isOpen) return null;
  return (
    <div className="send-bar">
      <p role="status">
        <strong>{t('changes', { values, items })}</strong>
        {wrong === 0 ? null : <span className="bad-number"> · {t('wrong', { count: wrong })}</span>}
      </p>
      <div className="actions">
        <Button kind="quiet" onPress={() => forget(Object.keys(drafts))}>
          {t('discard')}
        </Button>
        <Button kind="primary" icon="arrow" isDisabled={wrong > 0} onPress={() => setOpen(true)}>
          {t('look')}
        </Button>
      </div>
      {isOpen && dialog !== undefined ? (
        <dialog.SaveDialog onClose={() => setOpen(false)} onWritten={onWritten} />
      ) : null}
    </div>
  );
}
