/** The categories of a stage as trees, and the one that is chosen beside them. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { ButtonLink } from '../../components/button.js';
import { EmptyState, Progress } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { later, useLater } from '../../components/later.js';
import { Page } from '../../components/page.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { CategoryDetails } from './category-details.js';
import type { Done } from './category-done.js';
import { CategoryList } from './category-list.js';
import { CategoryPick } from './category-pick.js';
import {
  type Categories,
  categoriesKey,
  keysAbove,
  openedAtFirst,
  useTree,
  useWay,
  type Way,
} from './category-tree.js';
import { FirstCategory } from './first-category.js';

/** The trees are shown without them. */
const newTree = later(() => import('./new-tree.js'));
const moving = later(() => import('./move-dialog.js'));
const outcome = later(() => import('./category-done.js'));

const useText = textsOf('categories-page', {
  title: { en: 'Categories', de: 'Kategorien' },
  note: {
    en: 'The primary tree says what an item is; other trees are for merchandising. Choose a category, or drag it to another place.',
    de: 'Der erste Baum sagt, was ein Artikel ist; weitere Bäume sind zum Verkaufen da. Wählen Sie eine Kategorie, oder ziehen Sie sie an einen anderen Ort.',
  },
  loading: { en: 'The categories are loaded', de: 'Die Kategorien werden geladen' },
  choose: {
    en: 'Choose a category to see its items and attributes.',
    de: 'Wählen Sie eine Kategorie, um ihre Artikel und Attribute zu sehen.',
  },
  none: { en: 'There are no categories yet', de: 'Hier gibt es noch keine Kategorien' },
  noneHelp: {
    en: 'An import creates those that its file needs, and you order them here. Or create the first one now.',
    de: 'Ein Import legt die an, die seine Datei braucht, und Sie ordnen sie hier. Oder legen Sie die erste gleich an.',
  },
  import: { en: 'Import a file', de: 'Datei importieren' },
  moved: { en: '“{name}” is below “{parent}” now', de: '„{name}“ ist jetzt unter „{parent}“' },
  deleted: { en: '“{name}” is deleted', de: '„{name}“ ist gelöscht' },
  deletedHelp: {
    en: 'Undo makes it anew, with its attributes and another number.',
    de: 'Rückgängig machen legt sie neu an, mit ihren Attributen und einer anderen Nummer.',
  },
  find: { en: 'Find a category', de: 'Kategorie finden' },
  findHelp: { en: 'A part of its name', de: 'Ein Teil ihres Namens' },
});

export function CategoriesPage() {
  const t = useText();
  const queries = useQueryClient();
  const { stage } = usePresent();
  const mayWrite = useMay('catalog:write');
  const { category: chosen } = useSearch({ from: '/$stage/categories' });
  const way = useWay(chosen);
  const [toggled, setOpened] = useState<ReadonlySet<string>>();
  const tree = useTree(toggled, way);
  const { categories, error, retry } = tree;
  const opened = toggled ?? openedAtFirst(categories?.roots);
  const load = () => queries.invalidateQueries({ queryKey: categoriesKey(stage.name) });
  const present = useRef(opened);
  present.current = opened;
  const [done, setDone] = useState<Done>();
  const isThere = categories !== undefined;
  const above = way === undefined ? '' : keysAbove(way).join('/');
  // Whatever leads to a category, a search or an address, the way to it is opened.
  useEffect(() => {
    if (isThere && above !== '') setOpened(new Set([...present.current, ...above.split('/')]));
  }, [isThere, above]);
  return (
    <Page title={t('title')} note={t('note')}>
      {error === null ? null : <ErrorPanel error={error} onRetry={retry} />}
      {categories === undefined && error === null ? <Progress label={t('loading')} share={undefined} /> : null}
      {categories === undefined ? null : categories.roots.count === 0 ? (
        <EmptyState
          title={t('none')}
          icon="tree"
          action={
            mayWrite ? (
              <>
                <WhatWasDone {...{ done, load }} onDone={setDone} />
                <ButtonLink kind="primary" to="/$stage/imports/new" params={{ stage: stage.name }}>
                  {t('import')}
                </ButtonLink>
                <FirstCategory
                  onDone={async (next) => {
                    setDone(next);
                    await load();
                  }}
                />
              </>
            ) : null
          }
        >
          {t('noneHelp')}
        </EmptyState>
      ) : (
        <Trees
          {...{ categories, chosen, way, opened, load, done }}
          onDone={setDone}
          onOpened={setOpened}
          onMore={tree.more}
        />
      )}
    </Page>
  );
}

interface Move {
  readonly key: string;
  readonly parent: string;
}

interface TreesProps {
  readonly categories: Categories;
  readonly chosen: string | undefined;
  readonly way: Way | undefined;
  readonly opened: ReadonlySet<string>;
  readonly onOpened: (keys: ReadonlySet<string>) => void;
  readonly onMore: (key: string | undefined) => void;
  readonly load: () => Promise<void>;
  /** What was done last. */
  readonly done: Done | undefined;
  readonly onDone: (done: Done | undefined) => void;
}

function Trees({ categories, chosen, way, opened, onOpened, onMore, load, done, onDone }: TreesProps) {
  const t = useText();
  const api = useApi();
  const mayMove = useMay('catalog:write');
  const navigate = useNavigate({ from: '/$stage/categories' });
  const [asked, setAsked] = useState<Move>();
  const tree = useLater(newTree);
  const dialog = useLater(moving);
  const node = chosen === undefined ? undefined : categories.nodes.get(chosen);
  const place = ({ key, parent }: Move) =>
    api.updateCategory({ body: { nodeId: Number(key), parentNodeId: Number(parent) } });
  const say = async (next: Done, open?: string) => {
    onDone(next);
    if (open !== undefined) onOpened(new Set([...opened, open]));
    await load();
  };
  const choose = (category: string) => void navigate({ search: { category }, replace: chosen !== undefined });
  return (
    <>
      <div className="two-parts">
        <div className="tree">
          <CategoryPick
            label={t('find')}
            placeholder={t('findHelp')}
            onChoose={({ nodeId }) => choose(String(nodeId))}
          />
          <CategoryList
            {...{ categories, opened, onOpened, onMore }}
            chosen={new Set(chosen === undefined ? [] : [chosen])}
            onChoose={choose}
            onMove={mayMove ? (key, parent) => setAsked({ key, parent }) : undefined}
          />
          {mayMove && tree !== undefined ? (
            <tree.NewTree
              onDone={async (next, root) => {
                await say(next);
                if (root !== undefined) choose(String(root));
              }}
            />
          ) : null}
        </div>
        <div className="form">
          <WhatWasDone {...{ done, load, onDone }} />
          {node === undefined ? (
            <p className="note">{t('choose')}</p>
          ) : (
            <CategoryDetails
              key={`${node.nodeId}:${node.name}`}
              node={node}
              way={way}
              onMove={(parent) => setAsked({ key: String(node.nodeId), parent })}
              onDeleted={async ({ name, parent, restore }) => {
                onDone({ title: t('deleted', { name }), help: t('deletedHelp'), undo: { act: restore } });
                // What is looked at is what it was in.
                await navigate({ search: parent === undefined ? {} : { category: parent }, replace: true });
                await load();
              }}
              onDone={say}
            />
          )}
        </div>
      </div>
      {asked === undefined || dialog === undefined ? null : (
        <dialog.MoveDialog
          moved={asked.key}
          parent={asked.parent}
          onMove={async ({ key, name, parent, to }) => {
            await place(asked);
            setAsked(undefined);
            const back = async () => {
              if (parent !== undefined) await place({ key, parent });
              return true;
            };
            await say({ title: t('moved', { name, parent: to }), undo: { act: back } }, asked.parent);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

function WhatWasDone({ done, onDone, load }: Pick<TreesProps, 'done' | 'onDone' | 'load'>) {
  const told = useLater(outcome);
  if (done === undefined || told === undefined) return null;
  return (
    <told.CategoryDone
      key={keyOf(done)}
      done={done}
      onUndone={async (isOver) => {
        if (isOver) onDone(undefined);
        await load();
      }}
    />
  );
}

/** Another outcome is another notice. */
function keyOf({ title, undo }: Done): string {
  return 'jobId' in undo ? undo.jobId : (title ?? '');
}
