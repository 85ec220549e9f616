/** The tree of categories: opened level by level, and moved by dragging, with the mouse or the keyboard. */
import type { Key } from 'react-aria-components/Breadcrumbs';
import { Button } from 'react-aria-components/Button';
import { Collection } from 'react-aria-components/Collection';
import { Tree, TreeItem, TreeItemContent } from 'react-aria-components/Tree';
import { useDragAndDrop } from 'react-aria-components/useDragAndDrop';
import { Icon } from '../../components/icon.js';
import { textsOf } from '../../texts/texts.js';
import { type Categories, isWithin, type TreeNode, useCategoryNames } from './category-tree.js';

const useText = textsOf('category-list', {
  tree: { en: 'Categories', de: 'Kategorien' },
  open: { en: 'Open or close', de: 'Auf- oder zuklappen' },
  drag: { en: 'Move {name}', de: '{name} verschieben' },
});

interface CategoryListProps {
  readonly categories: Categories;
  readonly chosen: string | undefined;
  readonly opened: ReadonlySet<string>;
  readonly mayMove: boolean;
  readonly onChoose: (key: string) => void;
  readonly onOpened: (keys: ReadonlySet<string>) => void;
  readonly onMove: (key: string, parent: string) => void;
}

export function CategoryList(props: CategoryListProps) {
  const { categories, chosen, opened, mayMove, onChoose, onOpened, onMove } = props;
  const t = useText();
  const { nameOf } = useCategoryNames(categories);
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: !mayMove,
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': categories.nodes.get(String(key))?.name ?? '' })),
    getDropOperation: (target) => (target.type === 'item' && target.dropPosition === 'on' ? 'move' : 'cancel'),
    onMove: ({ keys, target }) => {
      const [key] = [...keys].map(String);
      const parent = String(target.key);
      if (target.dropPosition === 'on' && key !== undefined && !isWithin(categories, parent, key)) onMove(key, parent);
    },
  });
  const nodesOf = (keys: readonly string[]) => keys.flatMap((key) => categories.nodes.get(key) ?? []);
  const item = (node: TreeNode) => {
    const key = String(node.nodeId);
    const name = nameOf(key);
    return (
      <TreeItem id={key} textValue={name} className="tree-row" hasChildItems={node.children.length > 0}>
        <TreeItemContent>
          {({ allowsDragging }) => (
            <>
              {allowsDragging && mayMove && node.parent !== undefined ? (
                <Button slot="drag" className="tree-grip" aria-label={t('drag', { name: node.name })}>
                  ⠿
                </Button>
              ) : null}
              {node.children.length > 0 ? (
                <Button slot="chevron" className="tree-toggle" aria-label={t('open')}>
                  <Icon name="chevron" />
                </Button>
              ) : (
                <span className="tree-toggle" />
              )}
              <bdi className={node.active ? 'tree-name' : 'tree-name inactive'}>{name}</bdi>
            </>
          )}
        </TreeItemContent>
        {/* Of what is closed only the first is made, without which keys would not open it: a tree of many thousands opens as fast as a small one. */}
        <Collection items={nodesOf(opened.has(key) ? node.children : node.children.slice(0, 1))}>{item}</Collection>
      </TreeItem>
    );
  };
  return (
    <Tree
      aria-label={t('tree')}
      className="tree-list"
      items={nodesOf(categories.roots)}
      dependencies={[opened, categories, nameOf(categories.roots[0])]}
      selectionMode="single"
      selectionBehavior="replace"
      selectedKeys={chosen === undefined ? [] : [chosen]}
      expandedKeys={opened}
      dragAndDropHooks={dragAndDropHooks}
      onExpandedChange={(keys: Set<Key>) => onOpened(new Set([...keys].map(String)))}
      onSelectionChange={(keys) => {
        const [key] = keys === 'all' ? [] : [...keys];
        if (key !== undefined) onChoose(String(key));
      }}
    >
      {item}
    </Tree>
  );
}
