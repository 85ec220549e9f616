/** The addresses of the pages. What a page shows is loaded when it is opened. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { BASE } from './base.js';
import { Frame } from './frame/frame.js';
import { MissingPage } from './frame/missing-page.js';
import { PageError } from './frame/page-error.js';
import { StageFrame } from './frame/stage-frame.js';
import { type ItemFilter, readItemFilter, readItemsSearch } from './pages/catalog/item-search.js';
import { keptStage } from './session/kept-stage.js';

const root = createRootRoute({ component: Frame, notFoundComponent: MissingPage, errorComponent: PageError });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/$stage/imports', params: { stage: keptStage() }, replace: true });
  },
});

export const stageRoute = createRoute({
  getParentRoute: () => root,
  path: '$stage',
  component: StageFrame,
});

const stageHome = createRoute({
  getParentRoute: () => stageRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$stage/imports', params, replace: true });
  },
});

/** What the list of imports shows. */
export interface ImportsSearch {
  readonly outcome?: string;
  readonly type?: string;
  readonly page?: number;
}

const imports = createRoute({
  getParentRoute: () => stageRoute,
  path: 'imports',
  validateSearch: ({ outcome, type, page }: Record<string, unknown>): ImportsSearch => ({
    ...(typeof outcome === 'string' ? { outcome } : {}),
    ...(typeof type === 'string' ? { type } : {}),
    ...(Number.isInteger(page) && Number(page) > 1 ? { page: Number(page) } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/imports/list-page.js'), 'ImportsPage'),
});

const newImport = createRoute({
  getParentRoute: () => stageRoute,
  path: 'imports/new',
  component: lazyRouteComponent(() => import('./pages/imports/new-page.js'), 'NewImportPage'),
});

/** Which rows of a file are looked at, and by which saved profile. */
export interface MappingSearch {
  readonly sheet?: string;
  readonly rowPath?: string;
  readonly profile?: string;
  /** The dry run that shows what would change. */
  readonly preview?: string;
}

const mapping = createRoute({
  getParentRoute: () => stageRoute,
  path: 'imports/new/$fileId',
  validateSearch: (search: Record<string, unknown>): MappingSearch =>
    Object.fromEntries(
      ['sheet', 'rowPath', 'profile', 'preview'].flatMap((key) =>
        search[key] === undefined ? [] : [[key, String(search[key])]],
      ),
    ),
  component: lazyRouteComponent(() => import('./pages/imports/mapping-page.js'), 'MappingPage'),
});

const job = createRoute({
  getParentRoute: () => stageRoute,
  path: 'imports/$jobId',
  component: lazyRouteComponent(() => import('./pages/imports/job-page.js'), 'JobPage'),
});

const items = createRoute({
  getParentRoute: () => stageRoute,
  path: 'items',
  validateSearch: readItemsSearch,
  component: lazyRouteComponent(() => import('./pages/catalog/items-page.js'), 'ItemsPage'),
});

/** A SKU is no part of the path: there are such as `..` and `a/b`. */
const item = createRoute({
  getParentRoute: () => stageRoute,
  path: 'items/item',
  validateSearch: ({ sku }: Record<string, unknown>): { readonly sku: string } => ({ sku: String(sku ?? '') }),
  component: lazyRouteComponent(() => import('./pages/catalog/item-page.js'), 'ItemPage'),
});

const attributes = createRoute({
  getParentRoute: () => stageRoute,
  path: 'attributes',
  component: lazyRouteComponent(() => import('./pages/catalog/attributes-page.js'), 'AttributesPage'),
});

const categories = createRoute({
  getParentRoute: () => stageRoute,
  path: 'categories',
  component: lazyRouteComponent(() => import('./pages/catalog/categories-page.js'), 'CategoriesPage'),
});

const exportsList = createRoute({
  getParentRoute: () => stageRoute,
  path: 'exports',
  validateSearch: ({ job, page }: Record<string, unknown>): { readonly job?: string; readonly page?: number } => ({
    ...(job === undefined ? {} : { job: String(job) }),
    ...(Number.isInteger(page) && Number(page) > 1 ? { page: Number(page) } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/exports/list-page.js'), 'ExportsPage'),
});

const newExport = createRoute({
  getParentRoute: () => stageRoute,
  path: 'exports/new',
  validateSearch: (search: Record<string, unknown>): ItemFilter & { readonly since?: string } => ({
    ...readItemFilter(search),
    ...(search.since === undefined ? {} : { since: String(search.since) }),
  }),
  component: lazyRouteComponent(() => import('./pages/exports/new-page.js'), 'NewExportPage'),
});

const catalog = [items, item, attributes, categories, exportsList, newExport] as const;
const routeTree = root.addChildren([
  home,
  stageRoute.addChildren([stageHome, imports, newImport, mapping, job, ...catalog]),
]);

export const router = createRouter({
  routeTree,
  basepath: `${BASE}/console`,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
