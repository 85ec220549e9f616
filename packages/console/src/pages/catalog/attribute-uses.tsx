/** The categories to which an attribute is assigned. They are looked through, so that they are asked for only on request. */
import type { schemas } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Progress } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { pathOf } from './category-pick.js';

const PAGE = 100;
const MOST_SHOWN = 50;

const useText = textsOf('attribute-uses', {
  ask: { en: 'Where is it used?', de: 'Wo wird es verwendet?' },
  looking: { en: 'The categories are looked through', de: 'Die Kategorien werden durchgesehen' },
  used: {
    en: '{count, plural, =0 {No category has it.} one {# category has it:} other {# categories have it:}}',
    de: '{count, plural, =0 {Keine Kategorie hat es.} one {# Kategorie hat es:} other {# Kategorien haben es:}}',
  },
});

export function AttributeUses({ name }: { readonly name: string }) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const [isAsked, setAsked] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['attribute-uses', stage.name, name],
    enabled: isAsked,
    queryFn: async ({ signal }) => {
      const found: schemas.Category[] = [];
      for (let offset = 0; ; offset += PAGE) {
        const page = await api.listCategories({ type: 'PRIMARY', offset, limit: PAGE }, { signal });
        found.push(
          ...page.data.filter(({ attributes }) => attributes.some((one) => one.name === name && !one.inherited)),
        );
        if (offset + PAGE >= page.count) return found;
      }
    },
  });
  if (!isAsked) {
    return (
      <div>
        <Button onPress={() => setAsked(true)}>{t('ask')}</Button>
      </div>
    );
  }
  if (error !== null) return <ErrorPanel error={error} />;
  if (data === undefined) return <Progress label={t('looking')} share={undefined} />;
  return (
    <div className="changes-part">
      <p>{t('used', { count: data.length })}</p>
      <ul className="facts">
        {data.slice(0, MOST_SHOWN).map((category) => (
          <li key={category.id}>
            <Link to="/$stage/items" params={{ stage: stage.name }} search={{ in: category.nodeId }}>
              <bdi>{pathOf(category)}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
