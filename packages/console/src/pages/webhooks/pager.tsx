/** Older and newer events. */
import { Button } from '../../components/button.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';

export const EVENTS_PAGE = 20;

const useText = textsOf('webhook-pager', {
  older: { en: 'Older', de: 'Ältere' },
  newer: { en: 'Newer', de: 'Neuere' },
  page: { en: '{from} to {to} of {count}', de: '{from} bis {to} von {count}' },
});

interface PagerProps {
  readonly page: number;
  readonly count: number;
  readonly onPage: (page: number) => void;
}

export function Pager({ page, count, onPage }: PagerProps) {
  const t = useText();
  const format = useFormat();
  return (
    <div className="pager">
      <Button isDisabled={page === 1} onPress={() => onPage(page - 1)}>
        {t('newer')}
      </Button>
      <span>
        {t('page', {
          from: format.number((page - 1) * EVENTS_PAGE + 1),
          to: format.number(Math.min(page * EVENTS_PAGE, count)),
          count: format.number(count),
        })}
      </span>
      <Button isDisabled={page * EVENTS_PAGE >= count} onPress={() => onPage(page + 1)}>
        {t('older')}
      </Button>
    </div>
  );
}
