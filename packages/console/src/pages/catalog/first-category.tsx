/** Creates the first category of a stage that has none. */
import { textsOf } from '../../texts/texts.js';
import type { Done } from './category-done.js';
import { CategoryName } from './category-name.js';

const useText = textsOf('first-category', {
  name: { en: 'Name of the first category', de: 'Name der ersten Kategorie' },
  create: { en: 'Create', de: 'Anlegen' },
});

export function FirstCategory({ onDone }: { readonly onDone: (done: Done) => Promise<void> }) {
  const t = useText();
  return (
    <CategoryName label={t('name')} action={t('create')} typedAs="category.first" type="PRIMARY" onDone={onDone} />
  );
}
