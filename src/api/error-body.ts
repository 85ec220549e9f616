/** The shape of an error in each area of the API, as its clients know it (docs/use/api.md). */

import type { ErrorFamily } from './define-route.js';
import type { ErrorFacts } from './error-facts.js';

const FILES_TYPES: Readonly<Record<number, string>> = {
  401: 'UNAUTHORIZED_ERROR',
  403: 'REQUEST_DENIED',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'NOT_FOUND',
  413: 'PAYLOAD_LIMIT_EXCEEDED_ERROR',
};

/** The interface of notifications defines these texts and no others. */
const NOTIFICATION_TEXTS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict with duplicated entity',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
};

/** The codes of RFC 6749 §5.2. */
const OAUTH_CODES = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);

const BODIES: Readonly<Record<ErrorFamily, (facts: ErrorFacts) => unknown>> = {
  catalog: ({ code, message, problems }) => ({ code, message, ...(problems.length > 0 ? { errors: problems } : {}) }),
  files: (facts) => {
    const type = facts.status >= 500 ? 'SERVER_ERROR' : (FILES_TYPES[facts.status] ?? 'CLIENT_ERROR');
    const errors = facts.problems.map(({ path, message }) => ({
      type,
      message,
      ...(path === undefined ? {} : { path }),
    }));
    return { message: facts.message, type, errors: errors.length > 0 ? errors : [{ type, message: facts.message }] };
  },
  oms: ({ message }) => ({ message }),
  notification: ({ status, message }) => {
    if (status === 404) return message;
    if (status < 500) return NOTIFICATION_TEXTS[status] ?? 'Generic Bad Request Response';
    return { message: status === 500 ? 'Internal Server Error' : message };
  },
  oauth: ({ status, code, message }) => ({
    error: oauthCode(status, code),
    // §5.2 allows printable ASCII without " and \.
    error_description: message.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?'),
  }),
  operator: ({ message }) => ({ message }),
};

/** The JSON body of an error. */
export function errorBody(family: ErrorFamily, facts: ErrorFacts): unknown {
  return BODIES[family](facts);
}

function oauthCode(status: number, code: string): string {
  if (OAUTH_CODES.has(code)) return code;
  if (status === 401) return 'invalid_client';
  if (status === 429) return 'temporarily_unavailable';
  if (status < 500) return 'invalid_request';
  return status === 503 ? 'temporarily_unavailable' : 'server_error';
}

/** The first that fits counts. A test compares them with the families of all routes. */
const FAMILY_OF_PREFIX: readonly (readonly [string, ErrorFamily])[] = [
  ['/api-product', 'catalog'],
  ['/api-category', 'catalog'],
  ['/changes', 'catalog'],
  ['/import-profiles', 'catalog'],
  ['/feeds', 'catalog'],
  ['/feed-triggers', 'catalog'],
  ['/published-files', 'catalog'],
  ['/views', 'catalog'],
  ['/api/v2/session', 'catalog'],
  ['/api/v2/sessions', 'catalog'],
  ['/api/v2/access', 'catalog'],
  ['/api/v2/receiver', 'catalog'],
  ['/api/v2/notification', 'notification'],
  ['/api/v2', 'oms'],
  ['/item-import-templates', 'files'],
  ['/attribute-import-templates', 'files'],
  ['/bundle-import-templates', 'files'],
  ['/category-import-templates', 'files'],
  ['/files', 'files'],
  ['/jobs', 'files'],
  ['/uploads', 'files'],
  ['/downloads', 'files'],
  ['/site-settings', 'files'],
  ['/published', 'files'],
  ['/oauth2', 'oauth'],
];

/** The family of a path that has no route. */
export function familyOfPath(path: string): ErrorFamily {
  const found = FAMILY_OF_PREFIX.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`));
  return found?.[1] ?? 'operator';
}
