/**
 * The cookies of a session, of a login that a provider is asked for, and of receivers: who looks at one of their own
 * webhooks by its link stays logged in. A secret of one kind is none of the others. Their names say whether they are sent by
 * HTTPS alone, and tell systems on one host apart, because browsers do not separate ports and paths.
 */
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../domain/kernel/errors.js';

export type CookieKind = 'session' | 'login' | 'receiver';

const SECRETS: Readonly<Record<CookieKind, RegExp>> = {
  session: /^lsn_[A-Za-z0-9_-]{43}$/,
  login: /^lsp_[A-Za-z0-9_-]{43}$/,
  receiver: /^lsr_[A-Za-z0-9_-]{43}$/,
};

/** Browsers accept a cookie with the prefix __Host- only from the host itself, by HTTPS and for all paths. */
function nameOf(publicUrl: string, kind: CookieKind): string {
  const { protocol, port, pathname } = new URL(publicUrl);
  const place = [port, ...pathname.split('/')]
    .map((part) => part.replace(/[^\w.-]/g, '-'))
    .filter((part) => part !== '');
  return [`${protocol === 'https:' ? '__Host-' : ''}longshore_${kind}`, ...place].join('_');
}

/** The header that sets it. */
export function setCookie(
  publicUrl: string,
  secret: string,
  maxAgeSeconds: number,
  kind: CookieKind = 'session',
): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameOf(publicUrl, kind)}=${secret}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** The header that removes it from the browser. */
export function clearCookie(publicUrl: string, kind: CookieKind = 'session'): string {
  return setCookie(publicUrl, '', 0, kind);
}

/**
 * The secret in the cookie of a request; undefined: there is none.
 * @throws DomainError unauthorized when it is malformed, or sent twice: then another page of the same host has set one too
 */
export function sentSecret(
  { headers }: IncomingMessage,
  publicUrl: string,
  kind: CookieKind = 'session',
): string | undefined {
  const prefix = `${nameOf(publicUrl, kind)}=`;
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
  const [value] = values;
  // What a browser keeps of a cookie that was cleared.
  if (value === undefined || (value === '' && values.length === 1)) return undefined;
  if (values.length > 1 || !SECRETS[kind].test(value)) {
    const what = values.length > 1 ? `is sent ${values.length} times` : 'is malformed';
    const message = `the cookie of the ${kind} ${what}: delete the cookies of this address in your browser, and log in again`;
    throw new DomainError('unauthorized', 'UNAUTHORIZED', message);
  }
  return value;
}
