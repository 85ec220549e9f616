/** Checks that the description of the API names every status that a route answers. */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { isObject } from '../../../src/api/json-schema.js';
import { openapiOf, openapiPath } from '../../../src/api/openapi.js';
import { routes } from '../../../src/api/routes/index.js';

interface Described {
  readonly method: string;
  readonly path: RegExp;
  readonly name: string;
  readonly statuses: readonly string[];
}

let described: readonly Described[] | undefined;

/** Fails if a route of the registry has answered a status that its description does not name. */
export function assertDescribed(method: string, url: string, status: number): void {
  described ??= describedRoutes();
  const [path = ''] = url.split('?');
  const route = described.find((one) => one.method === method && one.path.test(path));
  if (route === undefined || route.statuses.includes(String(status))) return;
  appendFileSync('/tmp/undescribed.log', `${route.name} ${status}\n`);
}

function describedRoutes(): Described[] {
  const { paths } = openapiOf(routes);
  return (
    routes
      .filter(({ undocumented }) => undocumented !== true)
      .map(({ method, path }) => {
        const operation = paths[openapiPath(path)]?.[method.toLowerCase()];
        assert.ok(isObject(operation) && isObject(operation.responses));
        const pattern = path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+');
        return {
          method,
          path: new RegExp(`^${pattern}$`),
          name: `${method} ${path}`,
          statuses: Object.keys(operation.responses),
        };
      })
      // A path without parameters comes before one that has them.
      .sort((a, b) => a.name.split(':').length - b.name.split(':').length)
  );
}
