/** The tree of categories: opened level by level, and moved by dragging, with the mouse or the keyboard. */
import type { Key } from 'react-aria-components/Breadcrumbs';
import { Button } from 'react-aria-components/Button';
import { Collection } from 'react-aria-components/Collection';
import { Tree, TreeItem, TreeItemContent } from 'react-aria-components/Tree';
import { useDragAndDrop } from 'react-aria-components/useDragAndDrop';
import { Icon } from '../../components/icon.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { type Categories, isWithin, type Level, type TreeNode, useCategoryNames } from './category-tree.js';

const useText = textsOf('category-list', {
  tree: { en: 'Categories', de: 'Kategorien' },
  open: { en: 'Open or close', de: 'Auf- oder zuklappen' },
  drag: { en: 'Move {name}', de: '{name} verschieben' },
  loading: { en: 'Loading …', de: 'Wird geladen …' },
  more: { en: 'Show more: {left} are left', de: 'Mehr zeigen: {left} übrig' },
  below: {
    en: '{count, plural, one {# category below it} other {# categories below it}}',
    de: '{count, plural, one {# Kategorie darunter} other {# Kategorien darunter}}',
  },
});

interface CategoryListProps {
  readonly categories: Categories;
  readonly chosen: ReadonlySet<string>;
  readonly opened: ReadonlySet<string>;
  /** Any number may be chosen; what is chosen has a mark, and is not chosen any more when it is pressed again. */
  readonly isMany?: boolean;
  /** It is told of each that is pressed, also of one that was chosen. */
  readonly onChoose: (key: string) => void;
  readonly onOpened: (keys: ReadonlySet<string>) => void;
  /** Undefined: none can be moved. */
  readonly onMove?: ((key: string, parent: string) => void) | undefined;
  /** Further ones of a level are wanted. @param key undefined: of the roots */
  readonly onMore: (key: string | undefined) => void;
}

/** A row of the tree: a category, or what stands for those that are not loaded. */
interface Row {
  readonly id: string;
  readonly node?: TreeNode;
  /** How many are not loaded; undefined: the level is being loaded. */
  readonly left?: number;
}

/** It stands before what is no category. */
const OTHER = '~';

export function CategoryList(props: CategoryListProps) {
  const { categories, chosen, opened, isMany = false, onChoose, onOpened, onMove, onMore } = props;
  const mayMove = onMove !== undefined;
  const t = useText();
  const format = useFormat();
  const { nameOf } = useCategoryNames();
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: !mayMove,
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': categories.nodes.get(String(key))?.name ?? '' })),
    getDropOperation: (target) =>
      target.type === 'item' && target.dropPosition === 'on' && categories.nodes.has(String(target.key))
        ? 'move'
        : 'cancel',
    onMove: ({ keys, target }) => {
      const [key] = [...keys].map(String);
      const parent = String(target.key);
      if (target.dropPosition === 'on' && key !== undefined && !isWithin(categories, parent, key))
        onMove?.(key, parent);
    },
  });
  const rowsOf = (key: string, { keys, count }: Level): readonly Row[] => [
    ...keys.flatMap((id) => ({ id, ...nodeNamed(categories, id) })),
    // A row of another length is another row: the focus stays where it was.
    ...(keys.length < count ? [{ id: `${OTHER}${key}/${keys.length}`, left: count - keys.length }] : []),
  ];
  const rowsBelow = (key: string, { childCount }: TreeNode): readonly Row[] => {
    const level = opened.has(key) ? categories.levels.get(key) : undefined;
    // Keys open only what has a row below it.
    if (level === undefined) return childCount === 0 ? [] : [{ id: `${OTHER}${key}` }];
    return rowsOf(key, level);
  };
  const item = ({ id, node, left }: Row) => {
    if (node === undefined) {
      const text = left === undefined ? t('loading') : t('more', { left: format.number(left) });
      return (
        <TreeItem id={id} textValue={text} className="tree-row">
          <TreeItemContent>
            <span className="tree-toggle" />
            <span className={left === undefined ? 'note' : 'tree-more'}>{text}</span>
          </TreeItemContent>
        </TreeItem>
      );
    }
    const name = nameOf(node);
    const hasBelow = node.childCount > 0;
    return (
      <TreeItem id={id} textValue={name} className="tree-row" hasChildItems={hasBelow}>
        <TreeItemContent>
          {({ allowsDragging, isSelected }) => (
            <>
              {allowsDragging && mayMove && node.parent !== undefined ? (
                <Button slot="drag" className="tree-grip" aria-label={t('drag', { name: node.name })}>
                  ⠿
                </Button>
              ) : null}
              {hasBelow ? (
                <Button slot="chevron" className="tree-toggle" aria-label={t('open')}>
                  <Icon name="chevron" />
                </Button>
              ) : (
                <span className="tree-toggle" />
              )}
              {isMany && isSelected ? <Icon name="check" /> : null}
              <bdi className={node.active ? 'tree-name' : 'tree-name inactive'}>{name}</bdi>
              {hasBelow ? (
                <span className="tree-count" title={t('below', { count: node.childCount })}>
                  {format.number(node.childCount)}
                </span>
              ) : null}
            </>
          )}
        </TreeItemContent>
        <Collection items={rowsBelow(id, node)}>{item}</Collection>
      </TreeItem>
    );
  };
  const choose = (key: string) => {
    if (categories.nodes.has(key)) return onChoose(key);
    const [parent = '', shown] = key.slice(OTHER.length).split('/');
    if (shown !== undefined) onMore(parent === '' ? undefined : parent);
  };
  return (
    <Tree
      aria-label={t('tree')}
      className="tree-list"
      items={rowsOf('', categories.roots)}
      dependencies={[opened, categories, t('tree')]}
      selectionMode={isMany ? 'multiple' : 'single'}
      selectionBehavior={isMany ? 'toggle' : 'replace'}
      selectedKeys={chosen}
      expandedKeys={opened}
      dragAndDropHooks={dragAndDropHooks}
      onExpandedChange={(keys: Set<Key>) => onOpened(new Set([...keys].map(String)))}
      onSelectionChange={(keys) => {
        if (keys === 'all') return;
        const present = [...keys].map(String);
        const pressed = isMany ? changed(chosen, present) : present.slice(0, 1);
        for (const key of pressed) choose(key);
      }}
    >
      {item}
    </Tree>
  );
}

/** What is in one of both only. */
function changed(before: ReadonlySet<string>, after: readonly string[]): readonly string[] {
  return [...after.filter((key) => !before.has(key)), ...[...before].filter((key) => !after.includes(key))];
}

function nodeNamed({ nodes }: Categories, key: string): Pick<Row, 'node'> {
  const node = nodes.get(key);
  return node === undefined ? {} : { node };
}
