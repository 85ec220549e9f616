/** Which statuses of which routes the description of the API names. */
import { isObject } from '../../../src/api/json-schema.js';
import { openapiPath } from '../../../src/api/openapi/path.js';
import { openapiOf } from '../../../src/api/openapi.js';
import { routes } from '../../../src/api/routes/index.js';

interface DescribedRoute {
  readonly method: string;
  readonly path: RegExp;
  readonly statuses: readonly string[];
}

let described: readonly DescribedRoute[] | undefined;

/** Whether the description names a status that was answered. Addresses that belong to no route need not be described. */
export function isDescribed(method: string, address: string, status: number): boolean {
  described ??= describedRoutes();
  const [path = ''] = address.split('?');
  const asked = method === 'HEAD' ? 'GET' : method;
  const route = described.find((one) => one.method === asked && one.path.test(path));
  return route === undefined || route.statuses.includes(String(status));
}

function describedRoutes(): DescribedRoute[] {
  const { paths } = openapiOf(routes);
  return (
    routes
      .flatMap(({ method, path }) => {
        const operation = paths[openapiPath(path)]?.[method.toLowerCase()];
        if (!isObject(operation) || !isObject(operation.responses)) return [];
        const pattern = path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+');
        return [{ method, path: new RegExp(`^${pattern}$`), statuses: Object.keys(operation.responses) }];
      })
      // A path without parameters comes before one that has them.
      .sort((a, b) => a.path.source.split('[^/]').length - b.path.source.split('[^/]').length)
  );
}
