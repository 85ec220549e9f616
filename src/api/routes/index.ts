/** Every endpoint there is. A route that is not listed here does not exist. */
import type { Route } from '../define-route.js';

export const routes: readonly Route[] = [];
