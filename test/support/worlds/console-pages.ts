/** The pages of the console as its router lists them: a page that is added there is walked by the tests. */
import { readFileSync } from 'node:fs';
import { HARD } from './console-account.js';

const ROUTER = 'packages/console/src/router.tsx';
/** What some addresses need besides their path. */
const SEARCHES: Readonly<Record<string, string>> = {
  'items/item': '?sku=A-1',
  'imports/profiles/profile': `?name=${encodeURIComponent(`ERP ${HARD}`)}`,
};

export interface ConsolePage {
  /** As in the router: `imports/$jobId`. */
  readonly path: string;
  readonly address: string;
}

/** @param places the values of parameters @throws when there is no value for a parameter: whoever adds a page says what it is opened with */
export function consolePages(places: Readonly<Record<string, string>>): ConsolePage[] {
  const source = readFileSync(ROUTER, 'utf8');
  const paths = [...source.matchAll(/\bpath: '([^']+)'/g)].map(([, path = '']) => path);
  // A route in another form would not be walked.
  if (paths.length !== source.split('createRoute({').length - 1)
    throw new Error(`a route of ${ROUTER} has no path: '…'`);
  const pages = paths.filter((path) => path !== '/' && path !== '$stage');
  return pages.map((path) => {
    const filled = path.replace(/\$(\w+)/g, (_, name: string) => {
      const value = places[name];
      if (value === undefined) throw new Error(`say in console-account.ts what $${name} of the page ${path} is`);
      return encodeURIComponent(value);
    });
    return { path, address: `/console/${places.stage}/${filled}${SEARCHES[path] ?? ''}` };
  });
}
