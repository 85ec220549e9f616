/** What an item is: its status and why, its category, its parent, what it contains. */
import type { schemas } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge, Notice, Section } from '../../components/content.js';
import { type Column, DataTable } from '../../components/table.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { pathInWords } from './category-pick.js';
import { useColumnText } from './columns.js';
import { ImageLink } from './image-link.js';
import type { Definitions } from './use-attributes.js';

const useText = textsOf('item-facts', {
  title: { en: 'Overview', de: 'Überblick' },
  status: { en: 'Status', de: 'Status' },
  type: { en: 'Type', de: 'Art' },
  category: { en: 'Category', de: 'Kategorie' },
  parent: { en: 'Variant of', de: 'Variante von' },
  channels: { en: 'Channels', de: 'Kanäle' },
  created: { en: 'Created', de: 'Angelegt' },
  changed: { en: 'Last changed', de: 'Zuletzt geändert' },
  draft: { en: 'This item is a draft', de: 'Dieser Artikel ist ein Entwurf' },
  missing: { en: 'These mandatory values are missing: {names}.', de: 'Diese Pflichtwerte fehlen: {names}.' },
  inactive: { en: '“{name}” says that it is not active.', de: '„{name}“ sagt, dass er nicht aktiv ist.' },
  empty: { en: 'A bundle without items is a draft.', de: 'Ein Set ohne Artikel ist ein Entwurf.' },
  unknown: {
    en: 'Its category or its values do not let it be live.',
    de: 'Seine Kategorie oder seine Werte lassen es nicht zu, dass er live ist.',
  },
  contains: { en: 'This bundle contains', de: 'Dieses Set enthält' },
  quantity: { en: 'Quantity', de: 'Anzahl' },
  image: { en: 'Picture', de: 'Bild' },
});

interface ItemFactsProps {
  readonly item: schemas.ListedItem;
  readonly definitions: Definitions;
}

const MOST_ATTRIBUTES = 100;

export function useCategoryAttributes(nodeId: number | null) {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['category-attributes', stage.name, nodeId],
    enabled: nodeId !== null,
    queryFn: async ({ signal }) => {
      const found: schemas.CategoryAttribute[] = [];
      for (let offset = 0; ; offset += MOST_ATTRIBUTES) {
        const given = { nodeId: nodeId ?? 0, offset, limit: MOST_ATTRIBUTES };
        const page = await api.listCategoryAttributes(given, { signal });
        found.push(...page.data);
        if (offset + MOST_ATTRIBUTES >= page.count) return found;
      }
    },
  });
}

export function ItemFacts({ item, definitions }: ItemFactsProps) {
  const t = useText();
  const c = useColumnText();
  const format = useFormat();
  const { stage } = usePresent();
  const { nodeId, nodeName, parentSku, channels } = item;
  const facts = [
    [
      t('status'),
      <Badge key="status" tone={item.status === 'LIVE' ? 'good' : 'neutral'}>
        {c(item.status)}
      </Badge>,
    ],
    [t('type'), c(item.type)],
    [
      t('category'),
      nodeId === null ? (
        '–'
      ) : (
        <Link key="category" to="/$stage/items" params={{ stage: stage.name }} search={{ in: nodeId }}>
          <bdi>{pathInWords(nodeName ?? '')}</bdi>
        </Link>
      ),
    ],
    ...(parentSku === null
      ? []
      : [
          [
            t('parent'),
            <Link key="parent" to="/$stage/items/item" params={{ stage: stage.name }} search={{ sku: parentSku }}>
              <bdi>{parentSku}</bdi>
            </Link>,
          ] as const,
        ]),
    ...(channels === null ? [] : [[t('channels'), format.list(channels.map(String))] as const]),
    [t('created'), format.time(item.createdOn)],
    [t('changed'), format.time(item.modifiedOn)],
    ...(item.image === undefined || item.image === null
      ? []
      : [[t('image'), <ImageLink key="image" value={item.image} />] as const]),
  ] as const;
  return (
    <>
      {item.status === 'DRAFT' ? <WhyDraft item={item} definitions={definitions} /> : null}
      <Section title={t('title')}>
        <dl className="item-facts">
          {facts.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {item.bundleItems === undefined || item.bundleItems.length === 0 ? null : <Contents item={item} />}
      </Section>
    </>
  );
}

function WhyDraft({ item, definitions }: ItemFactsProps) {
  const t = useText();
  const format = useFormat();
  const { data } = useCategoryAttributes(item.nodeId);
  const missing = (data ?? []).filter(({ name, required }) => required && isMissing(item.attributes[name]));
  const { active } = definitions.roles;
  const isInactive = active !== undefined && item.attributes[active] === false;
  const isEmptySet = item.type === 'BUNDLE' && (item.bundleItems ?? []).length === 0;
  return (
    <Notice tone="warn" title={t('draft')}>
      {missing.length > 0 ? <p>{t('missing', { names: format.list(missing.map(({ name }) => name)) })}</p> : null}
      {isInactive ? <p>{t('inactive', { name: active })}</p> : null}
      {isEmptySet ? <p>{t('empty')}</p> : null}
      {data !== undefined && missing.length === 0 && !isInactive && !isEmptySet ? <p>{t('unknown')}</p> : null}
    </Notice>
  );
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function Contents({ item }: { readonly item: schemas.ListedItem }) {
  const t = useText();
  const c = useColumnText();
  const format = useFormat();
  const { stage } = usePresent();
  type Part = NonNullable<schemas.ListedItem['bundleItems']>[number];
  const columns: Column<Part>[] = [
    {
      id: 'sku',
      title: c('sku'),
      isHeader: true,
      cell: ({ sku }) => (
        <Link to="/$stage/items/item" params={{ stage: stage.name }} search={{ sku }}>
          <bdi>{sku}</bdi>
        </Link>
      ),
    },
    { id: 'quantity', title: t('quantity'), isNumber: true, cell: ({ quantity }) => format.number(quantity) },
  ];
  return (
    <div className="changes-part">
      <h3>{t('contains')}</h3>
      <DataTable
        isDense
        caption={t('contains')}
        columns={columns}
        rows={item.bundleItems ?? []}
        keyOf={({ sku }) => sku}
      />
    </div>
  );
}
