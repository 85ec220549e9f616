/** How far a search is that finds little: it goes on by itself, and can be stopped. */
import { Button } from '../../components/button.js';
import { textsOf } from '../../texts/texts.js';
import type { ItemWindow, WindowState } from './item-window.js';

const useText = textsOf('search-progress', {
  searching: {
    en: '{count, plural, =0 {Nothing found yet} one {# item found} other {# items found}}, searched as far as {sku}',
    de: '{count, plural, =0 {Noch nichts gefunden} one {# Artikel gefunden} other {# Artikel gefunden}}, gesucht bis {sku}',
  },
  stop: { en: 'Stop', de: 'Anhalten' },
  goOn: { en: 'Search on', de: 'Weitersuchen' },
  begin: { en: 'Searching …', de: 'Es wird gesucht …' },
});

interface SearchProgressProps {
  readonly window: ItemWindow;
  readonly state: WindowState;
  readonly isFormer: boolean;
}

export function SearchProgress({ window, state, isFormer }: SearchProgressProps) {
  const t = useText();
  const { rows, loading, reached } = state;
  if (reached === undefined) {
    return loading !== undefined && (isFormer || rows.length === 0) ? (
      <p className="search-progress note" role="status">
        {t('begin')}
      </p>
    ) : null;
  }
  return (
    <div className="search-progress" role="status">
      <span>{t('searching', { count: isFormer ? 0 : rows.length, sku: reached })}</span>
      {loading === undefined ? (
        <Button kind="quiet" onPress={() => void window.goOn()}>
          {t('goOn')}
        </Button>
      ) : (
        <Button kind="quiet" onPress={() => window.pause()}>
          {t('stop')}
        </Button>
      )}
    </div>
  );
}
