/** The categories of a stage as a tree, found by their node ids. */
import type { CategoryTree, LongshoreClient } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { useApi, usePresent } from '../../session/session-context.js';
import { setApart } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';

const PAGE = 100;

const useText = textsOf('category-tree', { main: { en: 'Main tree', de: 'Hauptbaum' } });

export interface TreeNode {
  readonly id: string;
  readonly nodeId: number;
  readonly name: string;
  readonly type: 'PRIMARY' | 'ALTERNATE';
  readonly active: boolean;
  readonly parent: string | undefined;
  readonly children: readonly string[];
  /** How many categories are below it. */
  readonly below: number;
}

export interface Categories {
  readonly roots: readonly string[];
  /** By node id, as a text. */
  readonly nodes: ReadonlyMap<string, TreeNode>;
}

export function categoriesKey(stage: string) {
  return ['categories', stage] as const;
}

export function useCategories() {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({ queryKey: categoriesKey(stage.name), queryFn: ({ signal }) => load(api, signal) });
}

async function load(api: LongshoreClient, signal: AbortSignal): Promise<Categories> {
  const nodes = new Map<string, TreeNode>();
  const roots: string[] = [];
  const add = ({ id, nodeId, name, type, active, children }: CategoryTree, parent: string | undefined): number => {
    const key = String(nodeId);
    const below = children.reduce((sum, child) => sum + add(child, key) + 1, 0);
    nodes.set(key, {
      id,
      nodeId,
      name,
      type,
      active,
      parent,
      below,
      children: children.map((one) => String(one.nodeId)),
    });
    return below;
  };
  for (let offset = 0; ; offset += PAGE) {
    const page = await api.getCategoryTree({ offset, limit: PAGE }, { signal });
    for (const root of page.data) {
      add(root, undefined);
      roots.push(String(root.nodeId));
    }
    if (offset + PAGE >= page.count) return { roots, nodes };
  }
}

/** How categories are called: the root of the primary tree has a name for programs only. */
export function useCategoryNames({ nodes, roots }: Categories) {
  const t = useText();
  const nameOf = (key: string | undefined): string => {
    const node = key === undefined ? undefined : nodes.get(key);
    return node !== undefined && isMain(node) ? t('main') : (node?.name ?? '');
  };
  /** From the root to the category itself. */
  const pathOf = (key: string) => inWords([...keysAbove({ nodes, roots }, key)].reverse().concat(key).map(nameOf));
  return { nameOf, pathOf };
}

function isMain({ parent, type }: TreeNode): boolean {
  return parent === undefined && type === 'PRIMARY';
}

/** The categories above one, which are opened to show it. */
export function keysAbove({ nodes }: Categories, key: string | undefined): readonly string[] {
  const parent = key === undefined ? undefined : nodes.get(key)?.parent;
  return parent === undefined ? [] : [parent, ...keysAbove({ nodes, roots: [] }, parent)];
}

/** Names from the root to a category, as people read them. */
export function inWords(names: readonly string[]): string {
  return names.map(setApart).join(' › ');
}

export function isWithin({ nodes }: Categories, key: string, above: string): boolean {
  for (let at: string | undefined = key; at !== undefined; at = nodes.get(at)?.parent) if (at === above) return true;
  return false;
}
