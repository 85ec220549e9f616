/** The categories of a stage as a tree of which only the levels are loaded that are open, each a page at a time. */
import { type LongshoreClient, LongshoreError, type schemas } from '@longshore/client';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useApi, usePresent } from '../../session/session-context.js';
import { setApart } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';

/** As many of a level are loaded at once. */
const LEVEL_PAGE = 100;
const NOT_FOUND = 404;

const useText = textsOf('category-tree', { main: { en: 'Main tree', de: 'Hauptbaum' } });

export interface TreeNode {
  readonly nodeId: number;
  readonly name: string;
  readonly type: 'PRIMARY' | 'ALTERNATE';
  readonly active: boolean;
  /** Among its neighbours the smallest stands first. */
  readonly order: number;
  readonly parent: string | undefined;
  /** How many categories are directly below it. */
  readonly childCount: number;
}

/** The categories directly below one, as far as they are loaded. */
export interface Level {
  readonly keys: readonly string[];
  /** How many there are. */
  readonly count: number;
}

export interface Categories {
  readonly roots: Level;
  /** By the node id of what they are below, as a text. */
  readonly levels: ReadonlyMap<string, Level>;
  /** By node id, as a text. */
  readonly nodes: ReadonlyMap<string, TreeNode>;
}

/** A category, and the way to it. */
export interface Way {
  readonly node: TreeNode;
  /** How many categories are below it, on all levels. */
  readonly below: number;
  readonly breadcrumbs: readonly schemas.CategoryName[];
}

type Children = Awaited<ReturnType<LongshoreClient['listChildCategories']>>;

export function categoriesKey(stage: string) {
  return ['categories', stage] as const;
}

/** Whether the stage has any category; undefined: that is not known yet. */
export function useHasCategories(): boolean | undefined {
  const api = useApi();
  const { stage } = usePresent();
  const { data } = useQuery({
    queryKey: [...categoriesKey(stage.name), 'any'],
    queryFn: ({ signal }) => api.listChildCategories({ limit: 1 }, { signal }),
  });
  return data === undefined ? undefined : data.count > 0;
}

/** One category with its place, wherever it is in its tree. */
export function useWay(key: string | undefined): Way | undefined {
  const api = useApi();
  const { stage } = usePresent();
  const { data } = useQuery({
    queryKey: [...categoriesKey(stage.name), 'way', key],
    enabled: key !== undefined,
    queryFn: ({ signal }) => api.listChildCategories({ nodeId: Number(key), limit: 1 }, { signal }),
  });
  return wayOf(data?.category);
}

function wayOf(category: schemas.PlacedCategory | null | undefined): Way | undefined {
  if (category === undefined || category === null) return undefined;
  const { breadcrumbs, below } = category;
  return { below, breadcrumbs, node: nodeOf(category, keyOf(breadcrumbs.at(-2))) };
}

interface Tree {
  /** Undefined: its roots are not loaded yet. */
  readonly categories: Categories | undefined;
  readonly error: unknown;
  readonly retry: () => void;
  /** Loads the next page of a level. @param key undefined: of the roots */
  readonly more: (key: string | undefined) => void;
}

/**
 * @param opened what is open; undefined: the first roots are
 * @param way to a category that is shown, though it may be on a page of its level that is not loaded
 */
export function useTree(opened: ReadonlySet<string> | undefined, way: Way | undefined): Tree {
  const api = useApi();
  const queries = useQueryClient();
  const { stage } = usePresent();
  const pages = useRef(new Map<string, number>());
  const levelKey = (key: string) => [...categoriesKey(stage.name), 'level', key];
  const levelOf = (key: string) => ({
    queryKey: levelKey(key),
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => load(api, key, pages.current.get(key) ?? 1, signal),
  });
  const roots = useQuery(levelOf(''));
  const open = [...(opened ?? openedAtFirst(roots.data))];
  const below = useQueries({ queries: open.map(levelOf) });
  const failed = [roots, ...below].find(({ error }) => error !== null);
  const loaded = new Map(open.map((key, nth) => [key, below[nth]?.data]));
  return {
    categories: roots.data === undefined ? undefined : categoriesOf(roots.data, loaded, way),
    error: failed?.error ?? null,
    retry: () => void queries.refetchQueries({ queryKey: [...categoriesKey(stage.name), 'level'] }),
    more: (key = '') => {
      pages.current.set(key, (pages.current.get(key) ?? 1) + 1);
      void queries.invalidateQueries({ queryKey: levelKey(key) });
    },
  };
}

/** A stage may have very many trees. */
const OPENED_AT_FIRST = 5;

/** The roots that are open as long as nobody has opened or closed any. */
export function openedAtFirst(roots: Level | Children | undefined): ReadonlySet<string> {
  const keys = roots === undefined ? [] : 'keys' in roots ? roots.keys : roots.data.map(({ nodeId }) => String(nodeId));
  return new Set(keys.slice(0, OPENED_AT_FIRST));
}

/** @param key empty: the roots */
async function load(api: LongshoreClient, key: string, pages: number, signal: AbortSignal): Promise<Children> {
  const of = key === '' ? {} : { nodeId: Number(key) };
  const read = async (nth: number): Promise<Children> => {
    const page = await api.listChildCategories({ ...of, offset: nth * LEVEL_PAGE, limit: LEVEL_PAGE }, { signal });
    if (nth + 1 >= pages || page.data.length < LEVEL_PAGE) return page;
    const further = await read(nth + 1);
    return { ...further, data: [...page.data, ...further.data] };
  };
  try {
    return await read(0);
  } catch (error) {
    // Somebody else has deleted what is open here.
    if (error instanceof LongshoreError && error.status === NOT_FOUND) {
      return { data: [], count: 0, offset: 0, limit: LEVEL_PAGE, category: null };
    }
    throw error;
  }
}

function categoriesOf(
  first: Children,
  loaded: ReadonlyMap<string, Children | undefined>,
  way: Way | undefined,
): Categories {
  const nodes = new Map<string, TreeNode>();
  const levels = new Map<string, Level>();
  const enter = (children: Children, parent: string | undefined): Level => {
    for (const child of children.data) nodes.set(String(child.nodeId), nodeOf(child, parent));
    return { count: children.count, keys: children.data.map(({ nodeId }) => String(nodeId)) };
  };
  let roots = enter(first, undefined);
  for (const [key, children] of loaded) if (children !== undefined) levels.set(key, enter(children, key));
  // Levels are loaded one after the other: what was moved meanwhile may be in two of them, and a tree that has it twice never ends.
  const ownOf = ({ keys, count }: Level, parent: string | undefined): Level => ({
    count,
    keys: keys.filter((key) => nodes.get(key)?.parent === parent),
  });
  roots = ownOf(roots, undefined);
  for (const [key, level] of levels) levels.set(key, ownOf(level, key));
  // What is shown may be on no page that is loaded: it stands behind them.
  way?.breadcrumbs.forEach(({ nodeId, name }, nth) => {
    const key = String(nodeId);
    if (nodes.has(key)) return;
    const parent = keyOf(way.breadcrumbs[nth - 1]);
    const isLast = nth + 1 === way.breadcrumbs.length;
    nodes.set(
      key,
      isLast ? way.node : { nodeId, name, parent, type: way.node.type, active: true, order: 0, childCount: 1 },
    );
    const level = parent === undefined ? roots : levels.get(parent);
    if (level === undefined) return;
    const longer = { ...level, keys: [...level.keys, key] };
    if (parent === undefined) roots = longer;
    else levels.set(parent, longer);
  });
  return { roots, levels, nodes };
}

function nodeOf(child: schemas.ChildCategory, parent: string | undefined): TreeNode {
  const { nodeId, name, type, active, order, childCount } = child;
  return { nodeId, name, type, active, order, childCount, parent };
}

function keyOf(named: schemas.CategoryName | undefined): string | undefined {
  return named === undefined ? undefined : String(named.nodeId);
}

/** How categories are called: the root of the primary tree has a name for programs only. */
export function useCategoryNames() {
  const t = useText();
  const nameOf = (node: TreeNode): string =>
    node.parent === undefined && node.type === 'PRIMARY' ? t('main') : node.name;
  /** From the root to the category itself. */
  const pathOf = ({ breadcrumbs, node }: Way): string => {
    const names = breadcrumbs.map(({ name }) => name);
    return inWords(node.type === 'PRIMARY' ? [t('main'), ...names.slice(1)] : names);
  };
  return { nameOf, pathOf };
}

/** The categories above one, which are opened to show it. */
export function keysAbove({ breadcrumbs }: Way): readonly string[] {
  return breadcrumbs.slice(0, -1).map(({ nodeId }) => String(nodeId));
}

/** Names from the root to a category, as people read them. */
export function inWords(names: readonly string[]): string {
  return names.map(setApart).join(' › ');
}

export function isWithin({ nodes }: Pick<Categories, 'nodes'>, key: string, above: string): boolean {
  // Two that were moved may each be below the other, as long as the levels are not all loaded anew.
  const seen = new Set<string>();
  for (let at: string | undefined = key; at !== undefined && !seen.has(at); at = nodes.get(at)?.parent) {
    if (at === above) return true;
    seen.add(at);
  }
  return false;
}
