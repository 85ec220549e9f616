/** Creates a tree for merchandising beside the main one. */
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { TextInput } from '../../components/text-input.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useTyped } from '../../typed/use-typed.js';

const useText = textsOf('new-tree', {
  name: { en: 'Name of a new tree', de: 'Name eines neuen Baums' },
  help: {
    en: 'For merchandising, such as “Summer”: an item may be in any number of its categories.',
    de: 'Zum Verkaufen, etwa „Sommer“: Ein Artikel kann in beliebig vielen seiner Kategorien sein.',
  },
  create: { en: 'New tree', de: 'Neuer Baum' },
});

/** @param onCreated the node id of its root */
export function NewTree({ onCreated }: { readonly onCreated: (nodeId: number) => Promise<void> }) {
  const t = useText();
  const api = useApi();
  const typed = useTyped('category.tree', { name: '' });
  const { name } = typed.values;
  const [error, setError] = useState<unknown>();
  const create = async () => {
    setError(undefined);
    try {
      const { nodeId } = await api.createCategory({ body: { name, type: 'ALTERNATE' } });
      typed.restart();
      await onCreated(nodeId);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <form
      className="correct-all"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <TextInput label={t('name')} help={t('help')} value={name} onChange={(next) => typed.set({ name: next })} />
      <Button type="submit" isDisabled={name.trim() === ''}>
        {t('create')}
      </Button>
      {error === undefined ? null : <ErrorPanel error={error} />}
    </form>
  );
}
