/** Items whose SKU begins with what was searched for: an index finds them at once, while the search looks into all texts. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';

const FIRST = 5;

const useText = textsOf('direct-hits', {
  hits: { en: 'SKU begins with it', de: 'SKU beginnt so' },
  all: { en: 'Only these', de: 'Nur diese' },
});

interface DirectHitsProps {
  readonly text: string;
  readonly onAll: (prefix: string) => void;
}

export function DirectHits({ text, onAll }: DirectHitsProps) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const { data } = useQuery({
    queryKey: ['direct-hits', stage.name, text],
    queryFn: ({ signal }) => api.searchItems({ body: { skuPrefix: text, limit: FIRST } }, { signal }),
  });
  if (data === undefined || data.items.length === 0) return null;
  return (
    <div className="direct-hits">
      <span className="note">{t('hits')}</span>
      {data.items.map(({ sku }) => (
        <Link key={sku} to="/$stage/items/item" params={{ stage: stage.name }} search={{ sku }} className="sample">
          <bdi>{sku}</bdi>
        </Link>
      ))}
      <Button kind="quiet" onPress={() => onAll(text)}>
        {t('all')}
      </Button>
    </div>
  );
}
