/** Chooses one category, or several, in the trees or by a part of a name. What is chosen is told at once. */
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Progress } from '../../components/content.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { textsOf } from '../../texts/texts.js';
import { CategoryList } from './category-list.js';
import { useCategoryPaths } from './category-paths.js';
import { CategoryPick } from './category-pick.js';
import { type Categories, openedAtFirst, type TreeNode, useTree } from './category-tree.js';
import { Chosen } from './chosen.js';

const useText = textsOf('category-choice', {
  find: { en: 'Find a category', de: 'Kategorie finden' },
  findHelp: { en: 'A part of its name', de: 'Ein Teil ihres Namens' },
  loading: { en: 'The categories are loaded', de: 'Die Kategorien werden geladen' },
  none: {
    en: 'There is no such tree yet. Create one under “Categories”, or import a file of categories whose type is ALTERNATE.',
    de: 'Es gibt noch keinen solchen Baum. Legen Sie unter „Kategorien“ einen an, oder importieren Sie eine Datei von Kategorien mit der Art ALTERNATE.',
  },
  leaves: {
    en: 'Items are in the lowest categories: the others open and close.',
    de: 'Artikel sind in den untersten Kategorien: Die anderen gehen auf und zu.',
  },
  notLowest: {
    en: '“{name}” has categories below it: choose one of these.',
    de: 'Unter „{name}“ sind weitere Kategorien: Wählen Sie eine von diesen.',
  },
  done: { en: 'Done', de: 'Fertig' },
});

interface CategoryChoiceProps {
  readonly title: string;
  readonly type: TreeNode['type'];
  readonly isMany?: boolean;
  readonly chosen: readonly number[];
  readonly onChosen: (nodeIds: readonly number[]) => void;
  readonly onClose: () => void;
}

export function CategoryChoice({ title, type, isMany = false, chosen, onChosen, onClose }: CategoryChoiceProps) {
  const t = useText();
  const [toggled, setOpened] = useState<ReadonlySet<string>>();
  const [wrong, setWrong] = useState('');
  const { categories: all, error, retry, more } = useTree(toggled, undefined);
  const categories = all === undefined ? undefined : ofType(all, type);
  const opened = toggled ?? openedAtFirst(all?.roots);
  const pathOf = useCategoryPaths(chosen);
  const toggle = (nodeId: number) => {
    const isIn = chosen.includes(nodeId);
    if (!isMany) onChosen([nodeId]);
    else onChosen(isIn ? chosen.filter((one) => one !== nodeId) : [...chosen, nodeId]);
  };
  const press = (key: string) => {
    const node = categories?.nodes.get(key);
    if (node === undefined) return;
    setWrong('');
    if (node.childCount === 0) return toggle(node.nodeId);
    const others = [...opened].filter((one) => one !== key);
    setOpened(new Set(opened.has(key) ? others : [...others, key]));
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <CategoryPick
        label={t('find')}
        placeholder={t('findHelp')}
        type={type}
        onChoose={({ nodeId, name, children }) => {
          const isLowest = children.length === 0;
          setWrong(isLowest ? '' : t('notLowest', { name }));
          if (isLowest && !chosen.includes(nodeId)) toggle(nodeId);
        }}
      />
      {wrong === '' ? null : (
        <p className="bad-number" role="alert">
          {wrong}
        </p>
      )}
      {error === null ? null : <ErrorPanel error={error} onRetry={retry} />}
      {categories === undefined && error === null ? <Progress label={t('loading')} share={undefined} /> : null}
      {categories?.roots.count === 0 ? <p className="note">{t('none')}</p> : null}
      {categories === undefined || categories.roots.count === 0 ? null : (
        <>
          <p className="note">{t('leaves')}</p>
          <CategoryList
            {...{ categories, opened, isMany }}
            chosen={new Set(chosen.map(String))}
            onChoose={press}
            onOpened={setOpened}
            onMore={more}
          />
        </>
      )}
      <Chosen
        names={chosen.map((nodeId) => ({ id: String(nodeId), label: pathOf(nodeId) ?? String(nodeId) }))}
        {...(isMany ? { onRemove: (id: string) => toggle(Number(id)) } : {})}
      />
      <div className="actions">
        <Button kind="primary" onPress={onClose}>
          {t('done')}
        </Button>
      </div>
    </Dialog>
  );
}

/** The trees of a type: there is one primary tree, and any number of others. */
function ofType(categories: Categories, type: TreeNode['type']): Categories {
  const { keys, count } = categories.roots;
  const fitting = keys.filter((key) => categories.nodes.get(key)?.type === type);
  const hasPrimary = keys.some((key) => categories.nodes.get(key)?.type === 'PRIMARY');
  const left = type === 'PRIMARY' ? fitting.length : count - (hasPrimary ? 1 : 0);
  return { ...categories, roots: { keys: fitting, count: left } };
}
