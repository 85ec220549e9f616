/** Whether a category is active, and where it stands among its neighbours: each change is a job that can be taken back. */
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { later, useLater } from '../../components/later.js';
import { SwitchInput } from '../../components/switch-input.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import { useTyped } from '../../typed/use-typed.js';
import type { CategoryChange } from './category-change.js';
import type { Done } from './category-done.js';
import type { TreeNode } from './category-tree.js';

const changing = later(() => import('./category-change-dialog.js'));

const useText = textsOf('category-state', {
  active: { en: 'Active', de: 'Aktiv' },
  activeHelp: {
    en: 'Items stay in a category that is not active; those who read the catalog see that it is not.',
    de: 'Artikel bleiben in einer Kategorie, die nicht aktiv ist; wer den Katalog liest, sieht, dass sie es nicht ist.',
  },
  order: { en: 'Order number', de: 'Ordnungszahl' },
  orderHelp: {
    en: 'Among its neighbours the smallest number stands first.',
    de: 'Unter ihren Nachbarn steht die kleinste Zahl vorn.',
  },
  wrong: { en: 'Type a whole number, such as 10.', de: 'Tippen Sie eine ganze Zahl, etwa 10.' },
  save: { en: 'Set the order number', de: 'Ordnungszahl setzen' },
});

interface CategoryStateProps {
  readonly node: TreeNode;
  readonly onDone: (done: Done) => Promise<void>;
}

export function CategoryState({ node, onDone }: CategoryStateProps) {
  const t = useText();
  const [change, setChange] = useState<CategoryChange>();
  const dialog = useLater(changing);
  const { forget } = useTypedOrder(node);
  const ask = (what: { readonly active?: boolean; readonly order?: number }) =>
    void changing.load().then(() => setChange({ what: 'state', node, ...what }));
  return (
    <div className="form">
      <SwitchInput
        label={t('active')}
        help={t('activeHelp')}
        isOn={node.active}
        onChange={(active) => ask({ active })}
      />
      <Order key={node.order} node={node} onOrder={(order) => ask({ order })} />
      {change === undefined || dialog === undefined ? null : (
        <dialog.CategoryChangeDialog
          change={change}
          onClose={() => setChange(undefined)}
          onDone={async (done) => {
            // Later it would pass for the present number.
            if (change.what === 'state' && change.order !== undefined) forget();
            await onDone(done);
          }}
        />
      )}
    </div>
  );
}

function useTypedOrder({ nodeId, order }: TreeNode) {
  return useTyped(`category.${nodeId}.order`, { order: String(order) });
}

interface OrderProps {
  readonly node: TreeNode;
  readonly onOrder: (order: number) => void;
}

function Order({ node, onOrder }: OrderProps) {
  const t = useText();
  const typed = useTypedOrder(node);
  const { order } = typed.values;
  const isWhole = /^\d{1,9}$/.test(order.trim());
  const isOther = isWhole && Number(order) !== node.order;
  return (
    <form
      className="correct-all"
      onSubmit={(event) => {
        event.preventDefault();
        if (isOther) onOrder(Number(order));
      }}
    >
      <TextInput
        label={t('order')}
        help={t('orderHelp')}
        error={isWhole ? undefined : t('wrong')}
        inputMode="numeric"
        value={order}
        onChange={(next) => typed.set({ order: next })}
      />
      <Button type="submit" isDisabled={!isOther}>
        {t('save')}
      </Button>
    </form>
  );
}
