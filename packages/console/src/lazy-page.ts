/** Loads the program of a page when it is opened. The router's own way loads the whole window again where that fails, which shows nothing while the API is away. */
import { lazyRouteComponent as routersOwn } from '@tanstack/react-router';
import { fetchPart } from './newer-version.js';

export const lazyRouteComponent: typeof routersOwn = (load, name) => routersOwn(() => fetchPart(load), name);
