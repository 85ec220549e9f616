/** Deletes one item: who may not does not see it. */
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { DeleteDialog } from './delete-dialog.js';

const useText = textsOf('delete-item', {
  delete: { en: 'Delete', de: 'Löschen' },
  goes: {
    en: 'Its values, its places in other trees and its unique values go with it.',
    de: 'Seine Werte, seine Plätze in anderen Bäumen und seine eindeutigen Werte gehen mit ihm.',
  },
});

interface DeleteItemProps {
  readonly sku: string;
  /** It is not there: what was deleted here can still be taken back. */
  readonly isGone: boolean;
  readonly onChanged: () => void;
}

export function DeleteItem({ sku, isGone, onChanged }: DeleteItemProps) {
  const t = useText();
  const api = useApi();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {isGone ? null : (
        <Button kind="danger" onPress={() => setOpen(true)}>
          {t('delete')}
        </Button>
      )}
      {isOpen ? (
        <DeleteDialog
          name={sku}
          send={(dryRun, signal) => api.bulk('deleteItems', [sku], { dryRun, signal })}
          onChanged={onChanged}
          onClose={() => setOpen(false)}
        >
          <p className="note">{t('goes')}</p>
        </DeleteDialog>
      ) : null}
    </>
  );
}
