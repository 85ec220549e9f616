/** What somebody else has changed meanwhile: each is decided, and nothing is overwritten silently. */
import type { Attribute } from '@longshore/client';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { type Column, DataTable } from '../../components/table.js';
import { textsOf } from '../../texts/texts.js';
import type { DraftStore } from './drafts.js';
import { FieldValue, useFieldName } from './field-value.js';
import { draftName, fieldOf, KEEPS_VALUES } from './item-fields.js';
import type { Conflict } from './save-steps.js';
import type { Values } from './values.js';

const LONGEST = 120;

const useText = textsOf('conflicts', {
  title: { en: 'Somebody else has changed this meanwhile', de: 'Jemand anderes hat das inzwischen geändert' },
  help: {
    en: 'Decide for each value. Nothing was written yet.',
    de: 'Entscheiden Sie für jeden Wert. Noch ist nichts geschrieben.',
  },
  item: { en: 'Item', de: 'Artikel' },
  name: { en: 'Column', de: 'Spalte' },
  before: { en: 'You saw', de: 'Sie sahen' },
  now: { en: 'It is now', de: 'Jetzt ist es' },
  mine: { en: 'Yours', de: 'Ihres' },
  gone: { en: 'deleted', de: 'gelöscht' },
  none: { en: 'no value', de: 'kein Wert' },
  decide: { en: 'Decide', de: 'Entscheiden' },
  keepTheirs: { en: 'Keep theirs', de: 'Deren behalten' },
  of: { en: '{action}: {name} of {sku}', de: '{action}: {name} von {sku}' },
  writeMine: { en: 'Write mine', de: 'Meines schreiben' },
});

interface ConflictsProps {
  readonly conflicts: readonly Conflict[];
  readonly attributeOf: (name: string) => Attribute | undefined;
  readonly values: Values;
  readonly store: DraftStore;
  readonly onDecided: (conflict: Conflict) => void;
}

export function Conflicts({ conflicts, attributeOf, values, store, onDecided }: ConflictsProps) {
  const t = useText();
  const fieldName = useFieldName();
  const nameOf = (name: string) => fieldName(fieldOf(name) ?? name);
  const show = (name: string, value: unknown) => {
    const field = fieldOf(name);
    if (field !== undefined) return <FieldValue name={field} value={value} />;
    const text = values.show(attributeOf(name) ?? { type: 'TEXT', optionsType: null }, value);
    return <bdi className="text-value">{text === '' ? t('none') : text.slice(0, LONGEST)}</bdi>;
  };
  const labelOf = (action: 'keepTheirs' | 'writeMine', { sku, name }: Conflict) =>
    // One that stands alone needs no other name.
    conflicts.length === 1 ? t(action) : t('of', { action: t(action), sku, name: nameOf(name) });
  const columns: Column<Conflict>[] = [
    { id: 'sku', title: t('item'), isHeader: true, cell: ({ sku }) => <bdi>{sku}</bdi> },
    { id: 'name', title: t('name'), cell: ({ name }) => <bdi>{nameOf(name)}</bdi> },
    { id: 'before', title: t('before'), isMinor: true, cell: ({ name, before }) => show(name, before) },
    { id: 'now', title: t('now'), cell: ({ name, now, isGone }) => (isGone ? t('gone') : show(name, now)) },
    { id: 'mine', title: t('mine'), cell: ({ name, mine }) => show(name, mine) },
    {
      id: 'decide',
      title: t('decide'),
      cell: (conflict) => (
        <div className="actions">
          <Button
            aria-label={labelOf('keepTheirs', conflict)}
            onPress={() => {
              store.set(conflict.sku, conflict.name, undefined);
              // Whether values are kept was said of the parent that it does not leave now.
              if (conflict.name === draftName('parentSku')) store.set(conflict.sku, KEEPS_VALUES, undefined);
              onDecided(conflict);
            }}
          >
            {t('keepTheirs')}
          </Button>
          {conflict.isGone ? null : (
            <Button
              aria-label={labelOf('writeMine', conflict)}
              onPress={() => {
                const draft = store.drafts[conflict.sku]?.[conflict.name];
                if (draft !== undefined) {
                  store.set(conflict.sku, conflict.name, { ...draft, before: conflict.now ?? null });
                }
                onDecided(conflict);
              }}
            >
              {t('writeMine')}
            </Button>
          )}
        </div>
      ),
    },
  ];
  return (
    <>
      <Notice tone="warn" title={t('title')}>
        <p>{t('help')}</p>
      </Notice>
      <DataTable
        isDense
        caption={t('title')}
        columns={columns}
        rows={conflicts}
        keyOf={({ sku, name }) => `${sku}:${name}`}
      />
    </>
  );
}
