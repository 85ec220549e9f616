/** Creates the first category of a stage that has none. */
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { CategoryName } from './category-name.js';

const useText = textsOf('first-category', {
  name: { en: 'Name of the first category', de: 'Name der ersten Kategorie' },
  create: { en: 'Create', de: 'Anlegen' },
});

export function FirstCategory({ onCreated }: { readonly onCreated: () => Promise<void> }) {
  const t = useText();
  const api = useApi();
  return (
    <CategoryName
      label={t('name')}
      action={t('create')}
      typedAs="category.first"
      onCreate={async (name) => {
        await api.createCategory({ body: { name } });
        await onCreated();
      }}
    />
  );
}
