/** The items of a stage: searched, filtered, looked at and changed in one table. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Progress } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import type { ItemsSearch } from './item-search.js';
import { ItemsView } from './items-view.js';
import { useDefinitions } from './use-attributes.js';

const useText = textsOf('items-page', {
  title: { en: 'Items', de: 'Artikel' },
  loading: { en: 'The attributes are loaded', de: 'Die Attribute werden geladen' },
});

export function ItemsPage() {
  const t = useText();
  const { stage } = usePresent();
  const search = useSearch({ from: '/$stage/items' });
  const navigate = useNavigate();
  const { data: definitions, error, refetch } = useDefinitions();
  const show = (next: ItemsSearch, replace = false) =>
    void navigate({ to: '/$stage/items', params: { stage: stage.name }, search: next, replace, resetScroll: false });
  return (
    <Page title={t('title')} isWide>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {definitions === undefined && error === null ? <Progress label={t('loading')} share={undefined} /> : null}
      {definitions === undefined ? null : <ItemsView definitions={definitions} search={search} onShow={show} />}
    </Page>
  );
}
