/** What an answer says about the file: its name, size, time and version, or why there is none. */
import { isPlain } from '../content.js';
import { isSafeName } from '../names.js';
import { RemoteFailure, type RemoteFile } from '../remote-folder.js';
import type { HttpsAnswer } from './https-calls.js';

/** @throws RemoteFailure unless the answer has the file, or a part of it */
export function requireFile({ status, url }: HttpsAnswer): void {
  if (status === 200 || status === 206) return;
  const said = `${url.host} answers with the status ${status}`;
  if (status === 401 || status === 407) {
    throw new RemoteFailure('REFUSED_LOGIN', `${said}: correct the user, password or token`);
  }
  if (status === 403) {
    throw new RemoteFailure('NOT_ALLOWED', `${said}: have the server allow this file to the user or token`);
  }
  if (status === 404 || status === 410) {
    throw new RemoteFailure('NOT_FOUND', `${said}: nothing lies at this address; correct it, or wait for the file`);
  }
  if (status === 412) throw new RemoteFailure('CHANGED_WHILE_READ', `${said}: the file was replaced while it was read`);
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    throw new RemoteFailure('UNREACHABLE', `${said}: it is overloaded or out of order`);
  }
  throw new RemoteFailure('NOT_SUPPORTED', `${said}, which has no file in it`);
}

/** @param asked the address that the feed names, which stays the same when redirects lead elsewhere */
export function fileOf(answer: HttpsAnswer, asked: URL, method: 'GET' | 'HEAD'): RemoteFile {
  const { header, url } = answer;
  const length = header('content-length');
  // Many programs answer HEAD with a length of 0, because they have written no body.
  const isSaid = length !== undefined && /^\d{1,15}$/.test(length) && !(method === 'HEAD' && length === '0');
  const bytes = isSaid && isPlain(header('content-encoding')) ? Number(length) : null;
  const modified = Date.parse(header('last-modified') ?? '');
  const modifiedAt = Number.isNaN(modified) ? null : new Date(modified);
  const named = nameOf(header('content-disposition')) ?? lastPart(asked) ?? lastPart(url) ?? asked.hostname;
  return { name: named, bytes, modifiedAt, version: header('etag') ?? versionBy(bytes, modifiedAt) };
}

/** Whether two answers are about the same bytes, as far as both say. */
export function isSame(one: RemoteFile, other: RemoteFile): boolean {
  if (isTag(one.version) && isTag(other.version)) return one.version === other.version;
  const isSameTime = one.modifiedAt?.getTime() === other.modifiedAt?.getTime();
  if (one.modifiedAt !== null && other.modifiedAt !== null && !isSameTime) return false;
  return one.bytes === null || other.bytes === null || one.bytes === other.bytes;
}

/** The condition under which a part of the same bytes can be asked for; null: the server gives no means. */
export function conditionOf({ version, modifiedAt }: RemoteFile): Readonly<Record<string, string>> | null {
  if (/^"/.test(version)) return { 'if-match': version };
  return modifiedAt === null || isTag(version) ? null : { 'if-unmodified-since': modifiedAt.toUTCString() };
}

/** Asks for the file only if it is another one. */
export function newerThan({ version, modifiedAt }: RemoteFile): Readonly<Record<string, string>> {
  if (isTag(version)) return { 'if-none-match': version };
  return modifiedAt === null ? {} : { 'if-modified-since': modifiedAt.toUTCString() };
}

function isTag(version: string): boolean {
  return /^(?:W\/)?"/.test(version);
}

/** Empty when the server says nothing: then only the content tells. */
function versionBy(bytes: number | null, modifiedAt: Date | null): string {
  return modifiedAt === null ? '' : `${modifiedAt.toISOString()} ${bytes ?? ''}`.trim();
}

/** The name that the server gives to the file, unless it would lead out of a folder. */
function nameOf(disposition: string | undefined): string | undefined {
  if (disposition === undefined) return undefined;
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replace(/\\(.)/g, '$1');
  const plain = /;\s*filename\s*=\s*([^";\s]+)/i.exec(disposition)?.[1];
  return [extended === undefined ? undefined : unescaped(extended), quoted, plain].find(isName);
}

function lastPart({ pathname }: URL): string | undefined {
  const part = unescaped(pathname.split('/').at(-1) ?? '');
  return isName(part) ? part : undefined;
}

const MOST_CHARACTERS = 255;

function isName(name: string | undefined): boolean {
  return name !== undefined && name.length <= MOST_CHARACTERS && isSafeName(name);
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
