/** Requests that were refused because the session has ended wait until somebody has logged in again, and are then sent again. */

type Listener = () => void;

let isExpired = false;
let release: (() => void) | undefined;
let again: Promise<void> | undefined;
const listeners = new Set<Listener>();

/** Whether somebody has to log in again before the page goes on. */
export function hasExpired(): boolean {
  return isExpired;
}

export function onExpiry(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Said when a request was answered 401. @returns when somebody has logged in again */
export function loggedInAgain(): Promise<void> {
  again ??= new Promise((resolve) => {
    release = resolve;
  });
  set(true);
  return again;
}

/** Lets the requests go on that wait. */
export function continueAfterLogin(): void {
  release?.();
  again = undefined;
  set(false);
}

/** What the other windows are told: that somebody has logged out, or in again. */
const KEPT_AS = 'longshore.session';

export function tellWindows(what: 'left' | 'entered'): void {
  localStorage.setItem(KEPT_AS, `${what} ${Date.now()}`);
}

/** What another window has told. @returns what stops listening */
export function onOtherWindow(listener: (what: 'left' | 'entered') => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === KEPT_AS && newValue !== null) listener(newValue.startsWith('left') ? 'left' : 'entered');
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
}

/** Asks for the login: somebody has logged out, and sees nothing any more. */
export function expire(): void {
  set(true);
}

function set(expired: boolean): void {
  isExpired = expired;
  for (const listener of listeners) listener();
}
