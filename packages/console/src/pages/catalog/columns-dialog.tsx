/** Chooses the columns of the table, and their order. */
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { columnsOf, FIELDS, firstColumns, useColumnText } from './columns.js';
import type { Definitions } from './use-attributes.js';

const MOST = 60;
const MOST_OFFERED = 200;

const useText = textsOf('columns-dialog', {
  title: { en: 'Columns', de: 'Spalten' },
  search: { en: 'Search columns', de: 'Spalten suchen' },
  chosen: {
    en: '{count, plural, one {# column} other {# columns}} shown',
    de: '{count, plural, one {# Spalte} other {# Spalten}} gezeigt',
  },
  more: { en: 'Search to see further ones.', de: 'Suchen Sie, um weitere zu sehen.' },
  show: { en: 'Show these columns', de: 'Diese Spalten zeigen' },
  first: { en: 'As at first', de: 'Wie am Anfang' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
});

interface ColumnsDialogProps {
  readonly definitions: Definitions;
  readonly shown: readonly string[];
  readonly onChoose: (ids: readonly string[]) => void;
  readonly onClose: () => void;
}

export function ColumnsDialog({ definitions, shown, onChoose, onClose }: ColumnsDialogProps) {
  const t = useText();
  const c = useColumnText();
  const typed = useTyped('columns', { chosen: shown }, { basis: JSON.stringify(shown) });
  const { chosen } = typed.values;
  const setChosen = (ids: readonly string[]) => typed.set({ chosen: ids });
  const [part, setPart] = useState('');
  const names = [...FIELDS, ...definitions.attributes.map(({ name }) => name)];
  const all = columnsOf([...shown, ...names], definitions, c);
  const found = all.filter(({ title }) => title.toLowerCase().includes(part.toLowerCase()));
  const toggle = (id: string) =>
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(0, MOST));
  return (
    <Dialog title={t('title')} isOpen onClose={onClose}>
      <TypedNote typed={typed} />
      <TextInput label={t('search')} type="search" value={part} onChange={setPart} />
      <ul className="check-list">
        {found.slice(0, MOST_OFFERED).map(({ id, title }) => (
          <li key={id}>
            <label className="check">
              <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
              <bdi>{title}</bdi>
            </label>
          </li>
        ))}
      </ul>
      {found.length > MOST_OFFERED ? <p className="note">{t('more')}</p> : null}
      <p className="note">{t('chosen', { count: chosen.length })}</p>
      <div className="actions">
        <Button kind="primary" isDisabled={chosen.length === 0} onPress={typed.forgetAnd(() => onChoose(chosen))}>
          {t('show')}
        </Button>
        <Button onPress={() => setChosen(firstColumns(definitions))}>{t('first')}</Button>
        <Button onPress={typed.forgetAnd(onClose)}>{t('cancel')}</Button>
      </div>
    </Dialog>
  );
}
