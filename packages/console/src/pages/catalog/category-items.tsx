/** Puts items into a category of an alternate tree: what would change is shown first, and all of it is one job. */
import { useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { later, useLater } from '../../components/later.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useKept } from '../../typed/use-kept.js';
import type { TreeNode } from './category-tree.js';
import { Chosen } from './chosen.js';
import type { DraftStore, Drafts } from './drafts.js';
import { draftName, sameForm } from './item-fields.js';
import { alternatesOf } from './save-steps.js';
import { SkuPick } from './sku-pick.js';

const saving = later(() => import('./save-dialog.js'));

const useText = textsOf('category-items', {
  put: { en: 'Put items into it', de: 'Artikel hineinlegen' },
  help: { en: 'SKU, or a part of the title', de: 'SKU oder ein Teil des Titels' },
  isIn: { en: '“{sku}” is in it already', de: '„{sku}“ ist schon darin' },
  chosen: { en: 'These come into it', de: 'Diese kommen hinein' },
  look: { en: 'See what would change', de: 'Ansehen, was sich ändern würde' },
});

export function CategoryItems({ node }: { readonly node: TreeNode }) {
  const t = useText();
  const api = useApi();
  const store = useChosenItems(node.nodeId);
  const [present, setPresent] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const dialog = useLater(saving);
  const [error, setError] = useState<unknown>();
  const skus = Object.keys(store.drafts);
  // One may be chosen before it is known whether the one before is in the category.
  const choose = async (sku: string) => {
    setPresent(undefined);
    setError(undefined);
    try {
      const found = await alternatesOf(api, sku, new AbortController().signal);
      const before = found.map(({ nodeId }) => nodeId);
      if (before.includes(node.nodeId)) return setPresent(sku);
      const value = sameForm('alternateCategories', [...before, node.nodeId]);
      const draft = { before: sameForm('alternateCategories', before), value, text: '' };
      store.set(sku, draftName('alternateCategories'), draft);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <SkuPick label={t('put')} placeholder={t('help')} without={skus} onChoose={(sku) => void choose(sku)} />
      {error === undefined ? null : <ErrorPanel error={error} />}
      {present === undefined ? null : <Notice tone="neutral" title={t('isIn', { sku: present })} />}
      {skus.length === 0 ? null : (
        <>
          <p className="note">{t('chosen')}</p>
          <Chosen names={skus.map((sku) => ({ id: sku, label: sku }))} onRemove={(sku) => store.forget([sku])} />
          <div className="actions">
            <Button onPress={() => void saving.load().then(() => setOpen(true))}>{t('look')}</Button>
          </div>
        </>
      )}
      {isOpen && dialog !== undefined ? (
        <dialog.SaveDialog store={store} onClose={() => setOpen(false)} onWritten={() => undefined} />
      ) : null}
    </>
  );
}

/** The items that were chosen for a category, apart from what is typed on the pages of items. */
function useChosenItems(nodeId: number): DraftStore {
  const [drafts, keep] = useKept<Drafts>(`category-items.${nodeId}`, {});
  const newest = useRef(drafts);
  newest.current = drafts;
  const write = (next: Drafts) => {
    newest.current = next;
    keep(next);
  };
  return {
    drafts,
    set: (sku, name, draft) => {
      const { [sku]: _, ...others } = newest.current;
      write(draft === undefined ? others : { ...others, [sku]: { [name]: draft } });
    },
    forget: (skus) => write(Object.fromEntries(Object.entries(newest.current).filter(([sku]) => !skus.includes(sku)))),
  };
}
