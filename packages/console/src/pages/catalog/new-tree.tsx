/** Creates a tree for merchandising beside the main one. */
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { createdBy } from './category-change.js';
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
  /** @param root the node id of the new one; undefined: it waits for an approval */
  readonly onDone: (done: Done, root: number | undefined) => Promise<void>;
}

export function NewTree({ onDone }: NewTreeProps) {
  const t = useText();
  const api = useApi();
  return (
    <CategoryName
      label={t('name')}
      help={t('help')}
      action={t('create')}
      typedAs="category.tree"
      type="ALTERNATE"
      onDone={async (done, jobId) => {
        const isThere = done.title !== undefined && jobId !== undefined;
        // It is created, though it may not be found out under which number.
        await onDone(done, isThere ? await createdBy(api, jobId).catch(() => undefined) : undefined);
      }}
    />
  );
}
