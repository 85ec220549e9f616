/** One category: its items, its attributes, and what can be done with it. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { later, useLater } from '../../components/later.js';
import { TextInput } from '../../components/text-input.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useTyped } from '../../typed/use-typed.js';
import { CategoryPick } from './category-pick.js';
import { type TreeNode, useCategoryNames, type Way } from './category-tree.js';
import type { FormerCategory } from './delete-category.js';
import { useCount } from './use-count.js';

/** What is shown of a chosen category only: the page is there before. */
const attributesPart = later(() => import('./category-attributes.js'));
const statePart = later(() => import('./category-state.js'));
const itemsPart = later(() => import('./category-items.js'));
const deletion = later(() => import('./delete-category.js'));

const useText = textsOf('category-details', {
  items: { en: 'Show its items', de: 'Artikel zeigen' },
  count: { en: 'Count its items', de: 'Artikel zählen' },
  counted: { en: '{count, plural, one {# item} other {# items}}', de: '{count, plural, other {# Artikel}}' },
  counting: { en: '{count} so far …', de: 'bis jetzt {count} …' },
  name: { en: 'Name', de: 'Name' },
  rename: { en: 'Rename', de: 'Umbenennen' },
  child: { en: 'New category below it', de: 'Neue Kategorie darunter' },
  create: { en: 'Create', de: 'Anlegen' },
  move: { en: 'Move to', de: 'Verschieben nach' },
  delete: { en: 'Delete', de: 'Löschen' },
  moveHelp: { en: 'Search a category', de: 'Kategorie suchen' },
});

interface CategoryDetailsProps {
  readonly node: TreeNode;
  /** Undefined: it is not known yet. */
  readonly way: Way | undefined;
  readonly onMove: (parent: string) => void;
  readonly onChanged: (opened?: string) => Promise<void>;
  readonly onDeleted: (former: FormerCategory) => Promise<void>;
}

export function CategoryDetails({ node, way, onMove, onChanged, onDeleted }: CategoryDetailsProps) {
  const t = useText();
  const format = useFormat();
  const { nameOf, pathOf } = useCategoryNames();
  const { stage } = usePresent();
  const mayWrite = useMay('catalog:write');
  const count = useCount({ in: node.nodeId });
  const loaded = useLater(attributesPart);
  const state = useLater(statePart);
  const items = useLater(itemsPart);
  const isMain = node.type === 'PRIMARY' && node.parent === undefined;
  return (
    <Section title={nameOf(node)} note={way?.node.nodeId === node.nodeId ? pathOf(way) : '…'}>
      <div className="actions">
        <Link to="/$stage/items" params={{ stage: stage.name }} search={{ in: node.nodeId }}>
          {t('items')}
        </Link>
        <Button kind="quiet" isDisabled={count.isCounting} onPress={count.begin}>
          {t('count')}
        </Button>
        <p className="count" role="status">
          {count.number === undefined
            ? ''
            : count.isCounting
              ? t('counting', { count: format.number(count.number) })
              : t('counted', { count: count.number })}
        </p>
      </div>
      {mayWrite ? <Changing key={`${node.nodeId} ${node.name}`} {...{ node, onMove, onChanged, onDeleted }} /> : null}
      {node.type === 'PRIMARY' && loaded !== undefined ? <loaded.CategoryAttributes node={node} /> : null}
      {mayWrite && node.type === 'ALTERNATE' && node.childCount === 0 && items !== undefined ? (
        <items.CategoryItems node={node} onChanged={() => void onChanged()} />
      ) : null}
      {mayWrite && !isMain && state !== undefined ? (
        <state.CategoryState node={node} onChanged={() => onChanged()} />
      ) : null}
    </Section>
  );
}

type ChangingProps = Pick<CategoryDetailsProps, 'node' | 'onMove' | 'onChanged' | 'onDeleted'>;

function Changing({ node, onMove, onChanged, onDeleted }: ChangingProps) {
  const t = useText();
  const api = useApi();
  const typed = useTyped(`category.${node.nodeId}`, { name: node.name, child: '' });
  const { name, child } = typed.values;
  const [error, setError] = useState<unknown>();
  const [isLeaving, setLeaving] = useState(false);
  const act = async (action: () => Promise<unknown>, opened?: string) => {
    setError(undefined);
    try {
      await action();
      await onChanged(opened);
      typed.restart();
    } catch (failure) {
      setError(failure);
    }
  };
  const leaving = useLater(deletion);
  const isRoot = node.parent === undefined;
  return (
    <>
      {isRoot && node.type === 'PRIMARY' ? null : (
        <form
          className="correct-all"
          onSubmit={(event) => {
            event.preventDefault();
            void act(() => api.updateCategory({ body: { nodeId: node.nodeId, name } }));
          }}
        >
          <TextInput label={t('name')} value={name} onChange={(next) => typed.set({ name: next })} />
          <Button type="submit" isDisabled={name.trim() === '' || name === node.name}>
            {t('rename')}
          </Button>
        </form>
      )}
      <form
        className="correct-all"
        onSubmit={(event) => {
          event.preventDefault();
          const body = { name: child, parentNodeId: node.nodeId };
          void act(() => api.createCategory({ body }), String(node.nodeId));
        }}
      >
        <TextInput label={t('child')} value={child} onChange={(next) => typed.set({ child: next })} />
        <Button type="submit" isDisabled={child.trim() === ''}>
          {t('create')}
        </Button>
      </form>
      {isRoot ? null : (
        <CategoryPick
          label={t('move')}
          placeholder={t('moveHelp')}
          type={node.type}
          onChoose={({ nodeId }) => onMove(String(nodeId))}
        />
      )}
      {isRoot && node.type === 'PRIMARY' ? null : (
        <div className="actions">
          <Button kind="danger" onPress={() => setLeaving(true)}>
            {t('delete')}
          </Button>
        </div>
      )}
      {error === undefined ? null : <ErrorPanel error={error} />}
      {isLeaving && leaving !== undefined ? (
        <leaving.DeleteCategory node={node} onDeleted={onDeleted} onClose={() => setLeaving(false)} />
      ) : null}
    </>
  );
}
