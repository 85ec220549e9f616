/** Creates a tree for merchandising beside the main one. */
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { CategoryName } from './category-name.js';

const useText = textsOf('new-tree', {
  name: { en: 'Name of a new tree', de: 'Name eines neuen Baums' },
  help: {
    en: 'For merchandising, such as “Summer”: an item may be in any number of its categories.',
    de: 'Zum Verkaufen, etwa „Sommer“: Ein Artikel kann in beliebig vielen seiner Kategorien sein.',
  },
  create: { en: 'New tree', de: 'Neuer Baum' },
});

/** @param onCreated the node id of its root */
export function NewTree({ onCreated }: { readonly onCreated: (nodeId: number) => Promise<void> }) {
  const t = useText();
  const api = useApi();
  return (
    <CategoryName
      label={t('name')}
      help={t('help')}
      action={t('create')}
      typedAs="category.tree"
      onCreate={async (name) => onCreated((await api.createCategory({ body: { name, type: 'ALTERNATE' } })).nodeId)}
    />
  );
}
