/** The cookies of sessions: how they are set, cleared and read. Their names say whether they are sent by HTTPS alone. */
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../domain/kernel/errors.js';

/**
 * The cookie of the console, and that of receivers: who looks at one of their own webhooks by its link stays logged in. A
 * secret of one kind is none of the other.
 */
const COOKIES = {
  session: { name: 'longshore_session', secret: /^lsn_[A-Za-z0-9_-]{43}$/ },
  receiver: { name: 'longshore_receiver', secret: /^lsr_[A-Za-z0-9_-]{43}$/ },
} as const;
type CookieKind = keyof typeof COOKIES;

/** Browsers accept a cookie with this prefix only from the host itself, by HTTPS and for all paths. */
function nameOf(publicUrl: string, kind: CookieKind): string {
  const { name } = COOKIES[kind];
  return publicUrl.startsWith('https:') ? `__Host-${name}` : name;
}

function cookie(publicUrl: string, kind: CookieKind, value: string, maxAgeSeconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameOf(publicUrl, kind)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** The header that sets it. */
export function setCookie(
  publicUrl: string,
  secret: string,
  maxAgeSeconds: number,
  kind: CookieKind = 'session',
): Record<string, string> {
  return { 'Set-Cookie': cookie(publicUrl, kind, secret, maxAgeSeconds) };
}

/** The header that removes it from the browser. */
export function clearCookie(publicUrl: string, kind: CookieKind = 'session'): Record<string, string> {
  return { 'Set-Cookie': cookie(publicUrl, kind, '', 0) };
}

/**
 * The secret in the cookie of a request; undefined: there is none.
 * @throws DomainError unauthorized when it is malformed, or sent twice: then another page of the same host has set one too
 */
export function sentSession(
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
  if (values.length > 1 || !COOKIES[kind].secret.test(value)) {
    const what = values.length > 1 ? `is sent ${values.length} times` : 'is malformed';
    const message = `the cookie of the session ${what}: delete the cookies of this address in your browser, and log in again`;
    throw new DomainError('unauthorized', 'UNAUTHORIZED', message);
  }
  return value;
}
