/**
 * After a deployment, the parts of the program that a window has not loaded yet are gone: it needs the newer version. Nothing
 * that was typed is lost by loading it, because forms find it again in the window; secrets alone are kept nowhere.
 */

/** A part of the program got no answer. */
class PartNotFetched extends TypeError {
  override readonly name = 'PartNotFetched';

  constructor(cause: unknown) {
    super('a part of the page could not be fetched', { cause });
  }
}

/** A part of the program is not there any more, and a newer program is. */
export class NewerVersion extends Error {
  override readonly name = 'NewerVersion';
}

const RENEWED_AT = 'longshore.renewedAt';
/** Servers of two versions beside each other send a window from one to the other: it asks before it does that again. */
const ONCE_IN_MS = 60_000;

const listeners = new Set<() => void>();
let newer: NewerVersion | undefined;

/** Undefined: as far as is known, there is none. */
export function newerVersion(): NewerVersion | undefined {
  return newer;
}

export function onNewerVersion(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @throws NewerVersion, or PartNotFetched: then it can be tried again */
export function fetchPart<T>(load: () => Promise<T>): Promise<T> {
  return load().catch(async (cause: unknown) => {
    if (newer === undefined && (await isReplaced())) {
      newer = new NewerVersion('a newer version of this page is there', { cause });
      for (const listener of listeners) listener();
    }
    throw newer ?? new PartNotFetched(cause);
  });
}

/** The page that is answered now begins with another program. */
async function isReplaced(): Promise<boolean> {
  const own = document.querySelector<HTMLScriptElement>('script[type=module]')?.src.split('/').at(-1);
  const answer = await fetch(location.href, { cache: 'no-store' }).catch(() => undefined);
  if (own === undefined || answer?.ok !== true) return false;
  return !(await answer.text().catch(() => own)).includes(own);
}

/** While there is no answer, a window that is loaded again would be empty. @returns whether it is loaded again */
export async function loadAnew(): Promise<boolean> {
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  if (answer?.ok === true) location.reload();
  return answer?.ok === true;
}

/** Loads the newer version without asking. @returns false when that was done a moment ago, or there is no answer */
export async function renew(): Promise<boolean> {
  const before = Number(sessionStorage.getItem(RENEWED_AT));
  if (Date.now() - before < ONCE_IN_MS) return false;
  sessionStorage.setItem(RENEWED_AT, String(Date.now()));
  return loadAnew();
}
