/** Where an item belongs, as fields: its categories, the item that it is a variant of, its channels, and what a bundle contains. */
import type { schemas } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { SwitchInput } from '../../components/switch-input.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { BundleField } from './bundle-field.js';
import { CategoryChoice } from './category-choice.js';
import { useCategoryPaths } from './category-paths.js';
import { ChannelsField } from './channels-field.js';
import { Chosen } from './chosen.js';
import { type Draft, isSame, useDrafts } from './drafts.js';
import { useFieldName } from './field-value.js';
import { draftName, type ItemField, KEEPS_VALUES, numbersOf, partsOf, presentFields } from './item-fields.js';
import { alternatesOf } from './save-steps.js';
import { SkuPick } from './sku-pick.js';

const useText = textsOf('item-places', {
  title: { en: 'Where it belongs', de: 'Wohin er gehört' },
  choose: { en: 'Choose another category', de: 'Andere Kategorie wählen' },
  chooseMany: { en: 'Choose categories', de: 'Kategorien wählen' },
  chooseTitle: { en: 'The category of {sku}', de: 'Die Kategorie von {sku}' },
  chooseManyTitle: { en: 'Other categories of {sku}', de: 'Weitere Kategorien von {sku}' },
  moveHelp: {
    en: 'In another category it has the attributes of that one. What would be missing is said before it is written.',
    de: 'In einer anderen Kategorie hat er deren Attribute. Was fehlen würde, wird vor dem Schreiben gesagt.',
  },
  noParent: { en: 'It is no variant.', de: 'Er ist keine Variante.' },
  parentPick: { en: 'Make it a variant of', de: 'Zur Variante machen von' },
  skuHelp: { en: 'SKU, or a part of the title', de: 'SKU oder ein Teil des Titels' },
  keep: { en: 'Keep the values of the parent', de: 'Werte des Elternartikels behalten' },
  keepHelp: {
    en: 'What it inherits becomes its own. Otherwise these values are gone.',
    de: 'Was er erbt, wird sein eigenes. Sonst sind diese Werte weg.',
  },
  back: { en: 'As it was', de: 'Wie vorher' },
});

interface ItemPlacesProps {
  readonly item: schemas.ListedItem;
}

export function ItemPlaces({ item }: ItemPlacesProps) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const { data: alternates, error } = useQuery({
    queryKey: ['item', stage.name, item.sku, 'alternates'],
    queryFn: async ({ signal }) => (await alternatesOf(api, item.sku, signal)).map(({ nodeId }) => nodeId),
  });
  if (error !== null) return <ErrorPanel error={error} />;
  // What is there is compared with what is chosen: before it is known nothing can be chosen.
  if (alternates === undefined) return null;
  return (
    <Section title={t('title')}>
      <dl className="item-values">
        <Fields item={item} alternates={alternates} />
      </dl>
    </Section>
  );
}

interface FieldsProps extends ItemPlacesProps {
  readonly alternates: readonly number[];
}

function Fields({ item, alternates }: FieldsProps) {
  const { drafts, set } = useDrafts();
  const { sku } = item;
  const drafted = drafts[sku] ?? {};
  const present = presentFields(item, alternates);
  /** What is chosen, or else what is there. */
  const chosenOf = (field: ItemField) =>
    draftName(field) in drafted ? drafted[draftName(field)]?.value : present[field];
  const change = (field: ItemField, value: unknown, text = '') => {
    const name = draftName(field);
    const before = name in drafted ? (drafted[name]?.before ?? null) : present[field];
    // What is typed and is no such value is not “none”.
    const isBack = value !== undefined && isSame(value, before) && isSame(present[field], before);
    set(sku, name, isBack ? undefined : { before, text, ...(value === undefined ? {} : { value }) });
    if (field === 'parentSku') set(sku, KEEPS_VALUES, undefined);
  };
  const row = (field: ItemField, content: ReactNode) => (
    <Row field={field} isEdited={draftName(field) in drafted} onBack={() => change(field, present[field])}>
      {content}
    </Row>
  );
  return (
    <>
      {row('nodeId', <HomeField sku={sku} nodeId={chosenOf('nodeId')} onChange={(value) => change('nodeId', value)} />)}
      {row(
        'alternateCategories',
        <AlternatesField
          sku={sku}
          nodeIds={numbersOf(chosenOf('alternateCategories'))}
          onChange={(value) => change('alternateCategories', numbersOf(value))}
        />,
      )}
      {item.type === 'BUNDLE'
        ? row(
            'bundleItems',
            <BundleField
              sku={sku}
              parts={partsOf(chosenOf('bundleItems'))}
              onChange={(value) => change('bundleItems', value)}
            />,
          )
        : row(
            'parentSku',
            <ParentField
              item={item}
              parentSku={chosenOf('parentSku')}
              keeps={drafted[KEEPS_VALUES]}
              onChange={(value) => change('parentSku', value)}
              onKeep={(draft) => set(sku, KEEPS_VALUES, draft)}
            />,
          )}
      {row(
        'channels',
        <ChannelsField
          sku={sku}
          draft={drafted[draftName('channels')]}
          channels={present.channels}
          onChange={(value, text) => change('channels', value, text)}
        />,
      )}
    </>
  );
}

interface RowProps {
  readonly field: ItemField;
  readonly isEdited: boolean;
  readonly onBack: () => void;
  readonly children: ReactNode;
}

function Row({ field, isEdited, onBack, children }: RowProps) {
  const t = useText();
  const nameOf = useFieldName();
  return (
    <div className={isEdited ? 'item-value edited' : 'item-value'} data-field={field}>
      <dt>{nameOf(field)}</dt>
      <dd className="item-place">
        {children}
        {isEdited ? (
          <Button kind="quiet" icon="undo" onPress={onBack}>
            {t('back')}
          </Button>
        ) : null}
      </dd>
    </div>
  );
}

interface HomeFieldProps {
  readonly sku: string;
  readonly nodeId: unknown;
  readonly onChange: (nodeId: number) => void;
}

function HomeField({ sku, nodeId, onChange }: HomeFieldProps) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const chosen = nodeId === null ? [] : [Number(nodeId)];
  const pathOf = useCategoryPaths(chosen);
  return (
    <>
      <Chosen names={chosen.map((one) => ({ id: String(one), label: pathOf(one) ?? String(one) }))} />
      <Button onPress={() => setOpen(true)}>{t('choose')}</Button>
      <p className="help">{t('moveHelp')}</p>
      {isOpen ? (
        <CategoryChoice
          title={t('chooseTitle', { sku })}
          type="PRIMARY"
          chosen={chosen}
          onChosen={([one]) => (one === undefined ? undefined : onChange(one))}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

interface AlternatesFieldProps {
  readonly sku: string;
  readonly nodeIds: readonly number[];
  readonly onChange: (nodeIds: readonly number[]) => void;
}

function AlternatesField({ sku, nodeIds, onChange }: AlternatesFieldProps) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const pathOf = useCategoryPaths(nodeIds);
  return (
    <>
      <Chosen
        names={nodeIds.map((one) => ({ id: String(one), label: pathOf(one) ?? String(one) }))}
        onRemove={(id) => onChange(nodeIds.filter((one) => String(one) !== id))}
      />
      <Button onPress={() => setOpen(true)}>{t('chooseMany')}</Button>
      {isOpen ? (
        <CategoryChoice
          title={t('chooseManyTitle', { sku })}
          type="ALTERNATE"
          isMany
          chosen={nodeIds}
          onChosen={onChange}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

interface ParentFieldProps {
  readonly item: schemas.ListedItem;
  readonly parentSku: unknown;
  readonly keeps: Draft | undefined;
  readonly onChange: (parentSku: string | null) => void;
  readonly onKeep: (draft: Draft | undefined) => void;
}

function ParentField({ item, parentSku, keeps, onChange, onKeep }: ParentFieldProps) {
  const t = useText();
  const parent = typeof parentSku === 'string' ? parentSku : undefined;
  const leaves = parent === undefined && item.parentSku !== null;
  return (
    <>
      {parent === undefined ? (
        <p className="note">{t('noParent')}</p>
      ) : (
        <Chosen names={[{ id: parent, label: parent }]} onRemove={() => onChange(null)} />
      )}
      {leaves ? (
        <SwitchInput
          label={t('keep')}
          help={t('keepHelp')}
          isOn={keeps !== undefined}
          onChange={(isOn) => onKeep(isOn ? { before: false, value: true, text: '' } : undefined)}
        />
      ) : null}
      <SkuPick
        label={t('parentPick')}
        placeholder={t('skuHelp')}
        type="ITEM"
        without={[item.sku, ...(parent === undefined ? [] : [parent])]}
        onChoose={onChange}
      />
    </>
  );
}
