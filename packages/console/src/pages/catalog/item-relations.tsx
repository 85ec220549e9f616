/** What an item has to do with others: its parent and variants with what tells them apart, sets, and categories. */
import type { schemas } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge, Section } from '../../components/content.js';
import { type Column, DataTable } from '../../components/table.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { pathOf } from './category-pick.js';
import { useColumnText } from './columns.js';
import type { Definitions } from './use-attributes.js';
import { useValues } from './values.js';
import { axesOf } from './variant-axes.js';

const useText = textsOf('item-relations', {
  variants: { en: 'Variants', de: 'Varianten' },
  axes: { en: 'They differ in {names}.', de: 'Sie unterscheiden sich in {names}.' },
  noAxes: { en: 'No attribute tells them apart.', de: 'Kein Attribut unterscheidet sie.' },
  siblings: { en: 'Variants of {sku}', de: 'Varianten von {sku}' },
  present: { en: 'this one', de: 'diese' },
  more: { en: 'The first {shown} of {count}.', de: 'Die ersten {shown} von {count}.' },
  bundles: { en: 'Bundles that contain it', de: 'Sets, die ihn enthalten' },
  categories: { en: 'Other categories', de: 'Weitere Kategorien' },
  categoriesNote: {
    en: 'Categories of alternate trees that hold this item.',
    de: 'Kategorien alternativer Bäume, die diesen Artikel enthalten.',
  },
  title: { en: 'Title', de: 'Titel' },
  status: { en: 'Status', de: 'Status' },
});

const MOST = 50;

type Item = schemas.ListedItem;

interface ItemRelationsProps {
  readonly item: Item;
  readonly definitions: Definitions;
}

export function ItemRelations({ item, definitions }: ItemRelationsProps) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const family = item.parentSku ?? item.sku;
  const { data } = useQuery({
    queryKey: ['item', stage.name, item.sku, 'relations', family],
    queryFn: async ({ signal }) => {
      const [variants, bundles, categories] = await Promise.all([
        api.listItems({ parentSku: family, limit: MOST }, { signal }),
        api.listItems({ partSku: item.sku, limit: MOST }, { signal }),
        api.listCategories({ sku: item.sku, type: 'ALTERNATE', limit: MOST }, { signal }),
      ]);
      return { variants, bundles, categories: categories.data };
    },
  });
  if (data === undefined) return null;
  const { variants, bundles, categories } = data;
  return (
    <>
      {variants.count === 0 ? null : <Variants page={variants} item={item} definitions={definitions} />}
      {bundles.count === 0 ? null : (
        <Section
          title={t('bundles')}
          {...(bundles.count > MOST ? { note: t('more', { shown: MOST, count: bundles.count }) } : {})}
        >
          <Items caption={t('bundles')} items={bundles.data} />
        </Section>
      )}
      {categories.length === 0 ? null : (
        <Section title={t('categories')} note={t('categoriesNote')}>
          <ul className="samples">
            {categories.map((category) => (
              <li key={category.nodeId}>
                <Link
                  to="/$stage/items"
                  params={{ stage: stage.name }}
                  search={{ in: category.nodeId }}
                  className="sample"
                >
                  <bdi>{pathOf(category)}</bdi>
                </Link>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

interface VariantsProps extends ItemRelationsProps {
  readonly page: { readonly data: Item[]; readonly count: number };
}

function Variants({ page: { data, count }, item, definitions }: VariantsProps) {
  const t = useText();
  const format = useFormat();
  const values = useValues();
  const axes = axesOf(data, definitions);
  const title = item.parentSku === null ? t('variants') : t('siblings', { sku: item.parentSku });
  const notes = [
    axes.length === 0 ? t('noAxes') : t('axes', { names: format.list(axes.map(({ name }) => name)) }),
    ...(count > data.length ? [t('more', { shown: data.length, count })] : []),
  ];
  const columns = axes.map(
    (attribute): Column<Item> => ({
      id: attribute.id,
      title: attribute.name,
      cell: ({ attributes }) => <bdi>{values.show(attribute, attributes[attribute.name])}</bdi>,
    }),
  );
  return (
    <Section title={title} note={notes.join(' ')}>
      <Items caption={title} items={data} present={item.sku} columns={columns} />
    </Section>
  );
}

interface ItemsProps {
  readonly caption: string;
  readonly items: readonly Item[];
  /** The SKU of the item whose page this is. */
  readonly present?: string;
  readonly columns?: readonly Column<Item>[];
}

function Items({ caption, items, present, columns = [] }: ItemsProps) {
  const t = useText();
  const c = useColumnText();
  const { stage } = usePresent();
  const all: Column<Item>[] = [
    {
      id: 'sku',
      title: c('sku'),
      isHeader: true,
      cell: ({ sku }) =>
        sku === present ? (
          <>
            <bdi>{sku}</bdi> <span className="small">{t('present')}</span>
          </>
        ) : (
          <Link to="/$stage/items/item" params={{ stage: stage.name }} search={{ sku }}>
            <bdi>{sku}</bdi>
          </Link>
        ),
    },
    ...(columns.length > 0
      ? columns
      : [
          {
            id: 'title',
            title: t('title'),
            cell: ({ title }: Item) => (
              <bdi className="text-value">{typeof title === 'string' ? title.slice(0, 120) : '–'}</bdi>
            ),
          },
        ]),
    {
      id: 'status',
      title: t('status'),
      cell: ({ status }) => <Badge tone={status === 'LIVE' ? 'good' : 'neutral'}>{c(status)}</Badge>,
    },
  ];
  return <DataTable isDense caption={caption} columns={all} rows={items} keyOf={({ sku }) => sku} />;
}
