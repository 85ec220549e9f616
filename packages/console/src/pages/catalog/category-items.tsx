/** Puts items into a category of an alternate tree, one after the other. */
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import type { TreeNode } from './category-tree.js';
import { SkuPick } from './sku-pick.js';

const useText = textsOf('category-items', {
  put: { en: 'Put an item into it', de: 'Einen Artikel hineinlegen' },
  help: { en: 'SKU, or a part of the title', de: 'SKU oder ein Teil des Titels' },
  isIn: { en: '“{sku}” is in it now', de: '„{sku}“ ist jetzt darin' },
  isOut: { en: '“{sku}” is not in it any more', de: '„{sku}“ ist nicht mehr darin' },
  undo: { en: 'Undo', de: 'Rückgängig machen' },
  refused: { en: '“{sku}” was refused', de: '„{sku}“ wurde abgelehnt' },
});

interface Done {
  readonly sku: string;
  readonly is: 'isIn' | 'isOut' | 'refused';
  readonly why?: string;
}

export function CategoryItems({ node, onChanged }: { readonly node: TreeNode; readonly onChanged: () => void }) {
  const t = useText();
  const api = useApi();
  const [done, setDone] = useState<Done>();
  const { attempt, error } = useAttempt();
  const act = (sku: string, action: 'SET' | 'UNSET') =>
    attempt(async () => {
      setDone(undefined);
      const { failed } = await api.setCategoryItems({ body: { nodeId: node.nodeId, items: [{ sku, action }] } });
      const [refused] = failed;
      if (refused !== undefined) return setDone({ sku, is: 'refused', why: refused.message });
      setDone({ sku, is: action === 'SET' ? 'isIn' : 'isOut' });
      onChanged();
    });
  return (
    <>
      <SkuPick label={t('put')} placeholder={t('help')} without={[]} onChoose={(sku) => void act(sku, 'SET')} />
      {error === undefined ? null : <ErrorPanel error={error} />}
      {done === undefined ? null : (
        <Notice
          tone={done.is === 'refused' ? 'bad' : 'good'}
          title={t(done.is, { sku: done.sku })}
          actions={
            done.is === 'isIn' ? (
              <Button icon="undo" onPress={() => void act(done.sku, 'UNSET')}>
                {t('undo')}
              </Button>
            ) : null
          }
        >
          {done.why === undefined ? null : <p lang="en">{done.why}</p>}
        </Notice>
      )}
    </>
  );
}
