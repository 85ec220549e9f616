/** Which columns a file has: all of them, or some. */
import { useState } from 'react';
import { SwitchInput } from '../../components/switch-input.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import type { Definitions } from '../catalog/use-attributes.js';

const MOST_OFFERED = 200;
/** Without them a file could not be imported again, or only as a change of what is there. */
const FIELDS = ['SKU', 'nodeName', 'parentSku', 'type', 'status', 'createdOn', 'modifiedOn'] as const;

const useText = textsOf('export-columns', {
  all: { en: 'All columns', de: 'Alle Spalten' },
  allHelp: {
    en: 'With these the file can create the items anew.',
    de: 'Damit kann die Datei die Artikel neu anlegen.',
  },
  search: { en: 'Search columns', de: 'Spalten suchen' },
  more: { en: 'Search to see further ones.', de: 'Suchen Sie, um weitere zu sehen.' },
  SKU: { en: 'SKU', de: 'SKU' },
  nodeName: { en: 'Category', de: 'Kategorie' },
  parentSku: { en: 'Parent SKU', de: 'SKU des Elternartikels' },
  type: { en: 'Type', de: 'Art' },
  status: { en: 'Status', de: 'Status' },
  createdOn: { en: 'Created', de: 'Angelegt' },
  modifiedOn: { en: 'Last changed', de: 'Zuletzt geändert' },
});

/** @returns the name of a column as people read it */
export function useColumnName(): (column: string) => string {
  const t = useText();
  return (column) => {
    const field = FIELDS.find((one) => one === column);
    return field === undefined ? column : t(field);
  };
}

interface ExportColumnsProps {
  readonly definitions: Definitions;
  /** Undefined: all. */
  readonly chosen: readonly string[] | undefined;
  readonly onChoose: (columns: readonly string[] | undefined) => void;
}

export function ExportColumns({ definitions, chosen, onChoose }: ExportColumnsProps) {
  const t = useText();
  const [part, setPart] = useState('');
  const { attributes, roles } = definitions;
  const all = [
    ...FIELDS.map((id) => ({ id: id as string, label: t(id) })),
    ...attributes.filter(({ name }) => name !== roles.sku).map(({ name }) => ({ id: name, label: name })),
  ];
  const found = all.filter(({ label }) => label.toLowerCase().includes(part.toLowerCase()));
  return (
    <>
      <SwitchInput
        label={t('all')}
        help={t('allHelp')}
        isOn={chosen === undefined}
        onChange={(isAll) => onChoose(isAll ? undefined : ['SKU', 'nodeName'])}
      />
      {chosen === undefined ? null : (
        <>
          <TextInput label={t('search')} type="search" value={part} onChange={setPart} />
          <ul className="check-list">
            {found.slice(0, MOST_OFFERED).map(({ id, label }) => (
              <li key={id}>
                <label className="check">
                  <input
                    type="checkbox"
                    checked={chosen.includes(id)}
                    onChange={() =>
                      onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
                    }
                  />
                  <bdi>{label}</bdi>
                </label>
              </li>
            ))}
          </ul>
          {found.length > MOST_OFFERED ? <p className="note">{t('more')}</p> : null}
        </>
      )}
    </>
  );
}
