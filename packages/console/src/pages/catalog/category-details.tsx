/** One category: its items, its attributes, and what can be done with it. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { later, useLater } from '../../components/later.js';
import { TextInput } from '../../components/text-input.js';
import { useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useTyped } from '../../typed/use-typed.js';
import type { CategoryChange } from './category-change.js';
import type { Done } from './category-done.js';
import { CategoryName } from './category-name.js';
import { CategoryPick } from './category-pick.js';
import { type TreeNode, useCategoryNames, type Way } from './category-tree.js';
import type { FormerCategory } from './delete-category.js';
import { useCount } from './use-count.js';

/** What is shown of a chosen category only: the page is there before. */
const attributesPart = later(() => import('./category-attributes.js'));
const statePart = later(() => import('./category-state.js'));
const itemsPart = later(() => import('./category-items.js'));
const deletion = later(() => import('./delete-category.js'));
const changing = later(() => import('./category-change-dialog.js'));

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
  /** @param opened what is to be open, so that what was done is seen */
  readonly onDone: (done: Done, opened?: string) => Promise<void>;
  readonly onDeleted: (former: FormerCategory) => Promise<void>;
}

export function CategoryDetails({ node, way, onMove, onDone, onDeleted }: CategoryDetailsProps) {
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
      {mayWrite ? <Changing key={`${node.nodeId} ${node.name}`} {...{ node, onMove, onDone, onDeleted }} /> : null}
      {node.type === 'PRIMARY' && loaded !== undefined ? <loaded.CategoryAttributes node={node} /> : null}
      {mayWrite && node.type === 'ALTERNATE' && node.childCount === 0 && items !== undefined ? (
        <items.CategoryItems node={node} />
      ) : null}
      {mayWrite && !isMain && state !== undefined ? (
        <state.CategoryState node={node} onDone={(done) => onDone(done)} />
      ) : null}
    </Section>
  );
}

type ChangingProps = Pick<CategoryDetailsProps, 'node' | 'onMove' | 'onDone' | 'onDeleted'>;

function Changing({ node, onMove, onDone, onDeleted }: ChangingProps) {
  const t = useText();
  const typed = useTyped(`category.${node.nodeId}`, { name: node.name });
  const { name } = typed.values;
  const [change, setChange] = useState<CategoryChange>();
  const [isLeaving, setLeaving] = useState(false);
  const leaving = useLater(deletion);
  const dialog = useLater(changing);
  const isRoot = node.parent === undefined;
  const isOther = name.trim() !== '' && name !== node.name;
  return (
    <>
      {isRoot && node.type === 'PRIMARY' ? null : (
        <form
          className="correct-all"
          onSubmit={(event) => {
            event.preventDefault();
            if (isOther) void changing.load().then(() => setChange({ what: 'rename', node, name }));
          }}
        >
          <TextInput label={t('name')} value={name} onChange={(next) => typed.set({ name: next })} />
          <Button type="submit" isDisabled={!isOther}>
            {t('rename')}
          </Button>
        </form>
      )}
      <CategoryName
        label={t('child')}
        action={t('create')}
        typedAs={`category.${node.nodeId}.child`}
        type={node.type}
        parent={node.nodeId}
        onDone={(done) => onDone(done, String(node.nodeId))}
      />
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
      {change === undefined || dialog === undefined ? null : (
        <dialog.CategoryChangeDialog
          change={change}
          onClose={() => setChange(undefined)}
          onDone={async (done) => {
            await onDone(done);
            typed.restart();
          }}
        />
      )}
      {isLeaving && leaving !== undefined ? (
        <leaving.DeleteCategory node={node} onDeleted={onDeleted} onClose={() => setLeaving(false)} />
      ) : null}
    </>
  );
}
