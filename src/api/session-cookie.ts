/** The cookie of a session: how it is set, cleared and read. Its name says whether it is sent by HTTPS alone. */
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../domain/kernel/errors.js';

const SESSION_COOKIE = 'longshore_session';
const SECRET = /^lsn_[A-Za-z0-9_-]{43}$/;

/** Browsers accept a cookie with this prefix only from the host itself, by HTTPS and for all paths. */
function nameOf(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE;
}

function cookie(publicUrl: string, value: string, maxAgeSeconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameOf(publicUrl)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** The header that sets it. */
export function setCookie(publicUrl: string, secret: string, maxAgeSeconds: number): Record<string, string> {
  return { 'Set-Cookie': cookie(publicUrl, secret, maxAgeSeconds) };
}

/** The header that removes it from the browser. */
export function clearCookie(publicUrl: string): Record<string, string> {
  return { 'Set-Cookie': cookie(publicUrl, '', 0) };
}

/**
 * The secret in the cookie of a request; undefined: there is none.
 * @throws DomainError unauthorized when it is malformed, or sent twice: then another page of the same host has set one too
 */
export function sentSession({ headers }: IncomingMessage, publicUrl: string): string | undefined {
  const prefix = `${nameOf(publicUrl)}=`;
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
  const [value] = values;
  // What a browser keeps of a cookie that was cleared.
  if (value === undefined || (value === '' && values.length === 1)) return undefined;
  if (values.length > 1 || !SECRET.test(value)) {
    const what = values.length > 1 ? `is sent ${values.length} times` : 'is malformed';
    const message = `the cookie of the session ${what}: delete the cookies of this address in your browser, and log in again`;
    throw new DomainError('unauthorized', 'UNAUTHORIZED', message);
  }
  return value;
}
