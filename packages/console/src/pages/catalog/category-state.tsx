/** Whether a category is active, and where it stands among its neighbours: each change is a job that can be taken back. */
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { SwitchInput } from '../../components/switch-input.js';
import { TextInput } from '../../components/text-input.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useTyped } from '../../typed/use-typed.js';
import type { TreeNode } from './category-tree.js';
import { FailedRows } from './failed-rows.js';
import { UndoWritten } from './undo-written.js';

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
  waits: { en: 'The change waits for an approval', de: 'Die Änderung wartet auf eine Freigabe' },
});

interface CategoryStateProps {
  readonly node: TreeNode;
  readonly onChanged: () => Promise<void>;
}

interface Written {
  readonly jobId: string;
  readonly waits: boolean;
}

export function CategoryState({ node, onChanged }: CategoryStateProps) {
  const t = useText();
  const api = useApi();
  const [written, setWritten] = useState<Written>();
  const [failed, setFailed] = useState<Awaited<ReturnType<typeof api.bulk>>['failed']>([]);
  const { attempt, error, isBusy } = useAttempt();
  const change = (what: { readonly active?: boolean; readonly order?: number }) =>
    attempt(async () => {
      setWritten(undefined);
      const { name, parent, type } = node;
      const place = parent === undefined ? { name, type } : { name, parentNodeId: Number(parent) };
      const { jobIds, failed: refused, awaitingApproval } = await api.bulk('upsertCategories', [{ ...place, ...what }]);
      setFailed(refused);
      if (refused.length > 0) return;
      setWritten({ jobId: jobIds[0] ?? '', waits: awaitingApproval.length > 0 });
      await onChanged();
    });
  return (
    <div className="form">
      <SwitchInput
        label={t('active')}
        help={t('activeHelp')}
        isOn={node.active}
        onChange={(active) => void change({ active })}
      />
      <Order key={node.order} {...{ node, isBusy }} onOrder={(order) => change({ order })} />
      {error === undefined ? null : <ErrorPanel error={error} />}
      <FailedRows failed={failed} />
      {written === undefined ? null : written.waits ? (
        <p role="status">{t('waits')}</p>
      ) : (
        <UndoWritten key={written.jobId} jobId={written.jobId} onUndone={() => void onChanged()} />
      )}
    </div>
  );
}

interface OrderProps {
  readonly node: TreeNode;
  readonly isBusy: boolean;
  readonly onOrder: (order: number) => Promise<void>;
}

function Order({ node, isBusy, onOrder }: OrderProps) {
  const t = useText();
  const typed = useTyped(`category.${node.nodeId}.order`, { order: String(node.order) });
  const { order } = typed.values;
  const isWhole = /^\d{1,9}$/.test(order.trim());
  return (
    <form
      className="correct-all"
      onSubmit={(event) => {
        event.preventDefault();
        typed.forget();
        void onOrder(Number(order));
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
      <Button type="submit" isPending={isBusy} isDisabled={!isWhole || Number(order) === node.order}>
        {t('save')}
      </Button>
    </form>
  );
}
