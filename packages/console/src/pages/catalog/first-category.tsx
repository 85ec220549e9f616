/** Creates the first category of a stage that has none. */
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { TextInput } from '../../components/text-input.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useTyped } from '../../typed/use-typed.js';

const useText = textsOf('first-category', {
  name: { en: 'Name of the first category', de: 'Name der ersten Kategorie' },
  create: { en: 'Create', de: 'Anlegen' },
});

export function FirstCategory({ onCreated }: { readonly onCreated: () => Promise<void> }) {
  const t = useText();
  const api = useApi();
  const typed = useTyped('category.first', { name: '' });
  const { name } = typed.values;
  const [error, setError] = useState<unknown>();
  const create = async () => {
    setError(undefined);
    try {
      await api.createCategory({ body: { name } });
      typed.forget();
      await onCreated();
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
      <TextInput label={t('name')} value={name} onChange={(next) => typed.set({ name: next })} />
      <Button type="submit" isDisabled={name.trim() === ''}>
        {t('create')}
      </Button>
      {error === undefined ? null : <ErrorPanel error={error} />}
    </form>
  );
}
