/** Older and newer entries of a list that is newest first; nothing where all of them are on one page. */

import { useFormat } from '../texts/format.js';
import { textsOf } from '../texts/texts.js';
import { Button } from './button.js';

const useText = textsOf('pager', {
  older: { en: 'Older', de: 'Ältere' },
  newer: { en: 'Newer', de: 'Neuere' },
  page: { en: '{from} to {to} of {count}', de: '{from} bis {to} von {count}' },
});

interface PagerProps {
  /** Counted from 1. */
  readonly page: number;
  /** How many entries a page has. */
  readonly size: number;
  readonly count: number;
  readonly onPage: (page: number) => void;
}

export function Pager({ page, size, count, onPage }: PagerProps) {
  const t = useText();
  const format = useFormat();
  if (count <= size) return null;
  return (
    <div className="pager">
      <Button isDisabled={page === 1} onPress={() => onPage(page - 1)}>
        {t('newer')}
      </Button>
      <span>
        {t('page', {
          from: format.number((page - 1) * size + 1),
          to: format.number(Math.min(page * size, count)),
          count: format.number(count),
        })}
      </span>
      <Button isDisabled={page * size >= count} onPress={() => onPage(page + 1)}>
        {t('older')}
      </Button>
    </div>
  );
}
