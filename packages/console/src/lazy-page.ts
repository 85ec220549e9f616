/** Loads the program of a page when it is opened. The router's own way loads the whole window again where that fails, which shows nothing while the API is away. */
import { lazyRouteComponent as routersOwn } from '@tanstack/react-router';

/** The program of a page got no answer. */
class PageNotFetched extends TypeError {
  override readonly name = 'PageNotFetched';

  constructor(cause: unknown) {
    super('the page could not be fetched', { cause });
  }
}

export const lazyRouteComponent: typeof routersOwn = (load, name) =>
  routersOwn(() => load().catch((cause: unknown) => Promise.reject(new PageNotFetched(cause))), name);
