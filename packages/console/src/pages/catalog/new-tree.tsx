/** Creates a tree for merchandising beside the main one. */
import { textsOf } from '../../texts/texts.js';
import type { Done } from './category-done.js';
import { CategoryName } from './category-name.js';

const useText = textsOf('new-tree', {
  name: { en: 'Name of a new tree', de: 'Name eines neuen Baums' },
  help: {
    en: 'For merchandising, such as “Summer”: an item may be in any number of its categories.',
    de: 'Zum Verkaufen, etwa „Sommer“: Ein Artikel kann in beliebig vielen seiner Kategorien sein.',
  },
  create: { en: 'New tree', de: 'Neuer Baum' },
});

interface NewTreeProps {
  readonly onDone: (done: Done, jobId: string | undefined) => Promise<void>;
}

export function NewTree({ onDone }: NewTreeProps) {
  const t = useText();
  return (
    <CategoryName
      label={t('name')}
      help={t('help')}
      action={t('create')}
      typedAs="category.tree"
      type="ALTERNATE"
      onDone={onDone}
    />
  );
}
