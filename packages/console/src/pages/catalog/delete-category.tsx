/** Deletes a category, which the API does only where it is empty: what is in it is said before. Afterwards it can be made anew. */
import { LongshoreError } from '@longshore/client';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { ownAttributes } from './assign.js';
import { CategoriesBelow, MoveItems } from './category-contents.js';
import { type TreeNode, useWay } from './category-tree.js';
import { DialogEnd } from './dialog-end.js';
import { useCount } from './use-count.js';

const useText = textsOf('delete-category', {
  title: { en: 'Delete “{name}”?', de: '„{name}“ löschen?' },
  noneBelow: { en: 'No category is below it.', de: 'Darunter ist keine Kategorie.' },
  items: {
    en: '{count, plural, =0 {No item is in it.} one {# item is in it: move or delete it first.} other {# items are in it: move or delete them first.}}',
    de: '{count, plural, =0 {Darin ist kein Artikel.} one {# Artikel ist darin: Verschieben oder löschen Sie ihn zuerst.} other {# Artikel sind darin: Verschieben oder löschen Sie diese zuerst.}}',
  },
  counting: { en: 'Its items are counted: {count} so far …', de: 'Die Artikel werden gezählt: bis jetzt {count} …' },
  show: { en: 'Show its items', de: 'Artikel zeigen' },
  attributes: {
    en: 'Its attributes are not assigned to it any more; the attributes themselves stay.',
    de: 'Ihre Attribute sind ihr nicht mehr zugeordnet; die Attribute selbst bleiben.',
  },
  delete: { en: 'Delete', de: 'Löschen' },
  keep: { en: 'Keep it', de: 'Behalten' },
});

/** A category that was deleted, as it is made anew. */
export interface FormerCategory {
  readonly name: string;
  readonly parent: string | undefined;
  /** @returns that it has */
  readonly restore: () => Promise<boolean>;
}

interface DeleteCategoryProps {
  readonly node: TreeNode;
  readonly onDeleted: (former: FormerCategory) => Promise<void>;
  readonly onClose: () => void;
}

export function DeleteCategory({ node, onDeleted, onClose }: DeleteCategoryProps) {
  const t = useText();
  const api = useApi();
  const format = useFormat();
  const { stage } = usePresent();
  const below = useWay(String(node.nodeId))?.below;
  const { attempt, error, isBusy } = useAttempt();
  const { begin, number, isCounting } = useCount({ in: node.nodeId });
  useEffect(() => begin(), [begin]);
  const remove = () =>
    attempt(async () => {
      const [category] = (await api.listCategories({ nodeIds: [node.nodeId] })).data;
      const itemAttributes = node.type === 'PRIMARY' ? await ownAttributes(api, node.nodeId) : [];
      await api.deleteCategory({ nodeId: node.nodeId });
      const { name, parent, type } = node;
      const place = parent === undefined ? { path: name, type } : { name, parentNodeId: Number(parent) };
      const { order = 0, active = true } = category ?? {};
      const row = {
        ...place,
        order,
        active,
        ...(itemAttributes.length === 0 ? {} : { itemAttributes: [...itemAttributes] }),
      };
      await onDeleted({
        ...{ name, parent },
        restore: async () => {
          const { failed } = await api.bulk('upsertCategories', [row]);
          const [problem] = failed[0]?.errors ?? [];
          if (problem !== undefined) {
            const { code, message } = problem;
            throw new LongshoreError(message, { code, status: 422, request: 'upsertCategories' });
          }
          return true;
        },
      });
      onClose();
    });
  const isFilled = below === undefined || below > 0 || (number !== undefined && number > 0);
  return (
    <Dialog title={t('title', { name: node.name })} isOpen onClose={isBusy ? undefined : onClose}>
      <ul className="facts">
        {below === undefined ? null : (
          <li>{below === 0 ? t('noneBelow') : <CategoriesBelow {...{ node, below }} />}</li>
        )}
        {number === undefined ? null : (
          <li>
            {isCounting ? t('counting', { count: format.number(number) }) : t('items', { count: number })}{' '}
            {number === 0 ? null : (
              <Link to="/$stage/items" params={{ stage: stage.name }} search={{ in: node.nodeId }}>
                {t('show')}
              </Link>
            )}
          </li>
        )}
      </ul>
      {below === 0 && number !== undefined ? <MoveItems node={node} count={number} onMoved={begin} /> : null}
      {isFilled || node.type !== 'PRIMARY' ? null : <p className="note">{t('attributes')}</p>}
      {error === undefined ? null : <ErrorPanel error={error} />}
      <DialogEnd out={t('keep')} isWriting={isBusy} onClose={onClose}>
        <Button
          kind="danger"
          isPending={isBusy}
          isDisabled={isBusy || isFilled || number === undefined || isCounting}
          onPress={() => void remove()}
        >
          {t('delete')}
        </Button>
      </DialogEnd>
    </Dialog>
  );
}
