/** The addresses of the pages. What a page shows is loaded when it is opened. */
import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { BASE } from './base.js';
import { Frame } from './frame/frame.js';
import { MissingPage } from './frame/missing-page.js';
import { PageError } from './frame/page-error.js';
import { StageFrame } from './frame/stage-frame.js';
import { lazyRouteComponent } from './lazy-page.js';
import { type ItemFilter, readItemFilter, readItemsSearch } from './pages/catalog/item-search.js';
import { readEventsSearch } from './pages/webhooks/events-search.js';
import { keptStage } from './session/kept-stage.js';

const IMPORTING = ['catalog:write', 'catalog:propose'];

const root = createRootRoute({ component: Frame, notFoundComponent: MissingPage, errorComponent: PageError });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/$stage/overview', params: { stage: keptStage() }, replace: true });
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
    throw redirect({ to: '/$stage/overview', params, replace: true });
  },
});

const overview = createRoute({
  getParentRoute: () => stageRoute,
  path: 'overview',
  component: lazyRouteComponent(() => import('./pages/overview/overview-page.js'), 'OverviewPage'),
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
  staticData: { needs: IMPORTING },
  component: lazyRouteComponent(() => import('./pages/imports/new-page.js'), 'NewImportPage'),
});

/** Which rows of a file are looked at, how the file is written if somebody has said it, and by which saved profile. */
export interface MappingSearch {
  readonly sheet?: string;
  readonly rowPath?: string;
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly headerRow?: string;
  readonly headerRows?: string;
  readonly profile?: string;
  /** The dry run that shows what would change. */
  readonly preview?: string;
}

const mapping = createRoute({
  getParentRoute: () => stageRoute,
  path: 'imports/new/$fileId',
  staticData: { needs: IMPORTING },
  validateSearch: (search: Record<string, unknown>): MappingSearch =>
    Object.fromEntries(
      ['sheet', 'rowPath', 'encoding', 'delimiter', 'headerRow', 'headerRows', 'profile', 'preview'].flatMap((key) =>
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

const profiles = createRoute({
  getParentRoute: () => stageRoute,
  path: 'imports/profiles',
  component: lazyRouteComponent(() => import('./pages/profiles/list-page.js'), 'ProfilesPage'),
});

/** Which profile, and the file on which it is shown. */
const profile = createRoute({
  getParentRoute: () => stageRoute,
  path: 'imports/profiles/profile',
  validateSearch: ({ name, file }: Record<string, unknown>): { readonly name: string; readonly file?: string } => ({
    name: String(name ?? ''),
    ...(file === undefined ? {} : { file: String(file) }),
  }),
  component: lazyRouteComponent(() => import('./pages/profiles/profile-page.js'), 'ProfilePage'),
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
  validateSearch: ({ q, type }: Record<string, unknown>): { readonly q?: string; readonly type?: string } => ({
    ...(q === undefined || q === '' ? {} : { q: String(q) }),
    ...(type === undefined ? {} : { type: String(type) }),
  }),
  component: lazyRouteComponent(() => import('./pages/catalog/attributes-page.js'), 'AttributesPage'),
});

const categories = createRoute({
  getParentRoute: () => stageRoute,
  path: 'categories',
  validateSearch: ({ category }: Record<string, unknown>): { readonly category?: string } =>
    category === undefined ? {} : { category: String(category) },
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
  validateSearch: (
    search: Record<string, unknown>,
  ): ItemFilter & { readonly since?: string; readonly saved?: string; readonly again?: string } => ({
    ...readItemFilter(search),
    ...(search.since === undefined ? {} : { since: String(search.since) }),
    ...(search.saved === undefined ? {} : { saved: String(search.saved) }),
    ...(search.again === undefined ? {} : { again: String(search.again) }),
  }),
  component: lazyRouteComponent(() => import('./pages/exports/new-page.js'), 'NewExportPage'),
});

const publishedFiles = createRoute({
  getParentRoute: () => stageRoute,
  path: 'exports/published',
  staticData: { needs: ['feeds:read'] },
  component: lazyRouteComponent(() => import('./pages/exports/published-page.js'), 'PublishedPage'),
});

const catalog = [items, item, attributes, categories, exportsList, newExport, publishedFiles] as const;

const feeds = createRoute({
  getParentRoute: () => stageRoute,
  path: 'feeds',
  staticData: { needs: ['feeds:read'] },
  component: lazyRouteComponent(() => import('./pages/feeds/list-page.js'), 'FeedsPage'),
});

const newFeed = createRoute({
  getParentRoute: () => stageRoute,
  path: 'feeds/new',
  staticData: { needs: ['feeds:write'] },
  component: lazyRouteComponent(() => import('./pages/feeds/new-page.js'), 'NewFeedPage'),
});

const newDestination = createRoute({
  getParentRoute: () => stageRoute,
  path: 'feeds/new-destination',
  staticData: { needs: ['feeds:write'] },
  component: lazyRouteComponent(() => import('./pages/feeds/new-page.js'), 'NewDestinationPage'),
});

/** Which runs and which files of a feed are listed. */
export interface FeedSearch {
  readonly page?: number;
  readonly files?: number;
}

const feed = createRoute({
  getParentRoute: () => stageRoute,
  path: 'feeds/$feedId',
  staticData: { needs: ['feeds:read'] },
  validateSearch: ({ page, files }: Record<string, unknown>): FeedSearch => ({
    ...(Number.isInteger(page) && Number(page) > 1 ? { page: Number(page) } : {}),
    ...(Number.isInteger(files) && Number(files) > 1 ? { files: Number(files) } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/feeds/feed-page.js'), 'FeedPage'),
});

const editFeed = createRoute({
  getParentRoute: () => stageRoute,
  path: 'feeds/$feedId/edit',
  staticData: { needs: ['feeds:write'] },
  component: lazyRouteComponent(() => import('./pages/feeds/edit-page.js'), 'EditFeedPage'),
});

const webhooks = createRoute({
  getParentRoute: () => stageRoute,
  path: 'webhooks',
  validateSearch: ({ page }: Record<string, unknown>): { readonly page?: number } =>
    Number.isInteger(page) && Number(page) > 1 ? { page: Number(page) } : {},
  component: lazyRouteComponent(() => import('./pages/webhooks/list-page.js'), 'WebhooksPage'),
});

const newWebhook = createRoute({
  getParentRoute: () => stageRoute,
  path: 'webhooks/new',
  staticData: { needs: ['webhooks:write'] },
  component: lazyRouteComponent(() => import('./pages/webhooks/new-page.js'), 'NewWebhookPage'),
});

const webhook = createRoute({
  getParentRoute: () => stageRoute,
  path: 'webhooks/$webhookId',
  validateSearch: readEventsSearch,
  component: lazyRouteComponent(() => import('./pages/webhooks/definition-page.js'), 'WebhookPage'),
});

const editWebhook = createRoute({
  getParentRoute: () => stageRoute,
  path: 'webhooks/$webhookId/edit',
  staticData: { needs: ['webhooks:write'] },
  component: lazyRouteComponent(() => import('./pages/webhooks/edit-page.js'), 'EditWebhookPage'),
});

const webhookFilter = createRoute({
  getParentRoute: () => stageRoute,
  path: 'webhooks/$webhookId/filter',
  component: lazyRouteComponent(() => import('./pages/webhooks/filter-page.js'), 'FilterPage'),
});

const webhookReplay = createRoute({
  getParentRoute: () => stageRoute,
  path: 'webhooks/$webhookId/replay',
  staticData: { needs: ['webhooks:write'] },
  component: lazyRouteComponent(() => import('./pages/webhooks/replay-page.js'), 'ReplayPage'),
});

const webhookSignature = createRoute({
  getParentRoute: () => stageRoute,
  path: 'webhooks/$webhookId/signature',
  component: lazyRouteComponent(() => import('./pages/webhooks/signature-page.js'), 'SignaturePage'),
});

const webhookEvent = createRoute({
  getParentRoute: () => stageRoute,
  path: 'webhooks/$webhookId/events/$eventId',
  component: lazyRouteComponent(() => import('./pages/webhooks/event-page.js'), 'EventPage'),
});

const people = createRoute({
  getParentRoute: () => stageRoute,
  path: 'people',
  staticData: { needs: ['access:admin'] },
  component: lazyRouteComponent(() => import('./pages/access/people-page.js'), 'PeoplePage'),
});

const sessions = createRoute({
  getParentRoute: () => stageRoute,
  path: 'sessions',
  component: lazyRouteComponent(() => import('./pages/access/sessions-page.js'), 'SessionsPage'),
});

const ofImports = [imports, newImport, mapping, job, profiles, profile] as const;
const ofWebhooks = [
  ...([webhooks, newWebhook, webhook, editWebhook] as const),
  ...([webhookFilter, webhookReplay, webhookSignature, webhookEvent] as const),
] as const;
const ofFeeds = [feeds, newFeed, newDestination, feed, editFeed] as const;
const ofStage = [stageHome, overview, ...ofImports, ...catalog, ...ofFeeds, ...ofWebhooks, people, sessions] as const;
const routeTree = root.addChildren([home, stageRoute.addChildren(ofStage)]);

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
  interface StaticDataRouteOption {
    /** The page is for those who have one of these scopes; undefined: for everybody. */
    needs?: readonly string[];
  }
}
